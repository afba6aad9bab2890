// The command line, parsed by CLI11. All options of all subcommands are declared here, so --help is
// complete.
//
// CLI11 reports a misspelt option as an unexpected argument; here that becomes an error with a code
// and the nearest option name. The first word is a program or a subcommand; if it is neither, it is
// treated as a misspelt subcommand.
#include "tools/stencilc/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "compiler/emit/emit.h"
#include "compiler/schedule/machine.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/diagnostic.h"
#include "compiler/support/numbers.h"
#include "runtime/devices/kernel_cache.h"
#include "runtime/io/file_writer.h"
#include "runtime/run/source.h"
#include "stencil/version.h"
#include "tools/option_values.h"
#include "tools/stencilc/help_texts.h"
#include "tools/stencilc/options_parser.h"
#include "tools/stencilc/save_code.h"

namespace stencil::tool {
namespace {

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const emit::TargetInfo& info : emit::targets()) names.emplace_back(info.name);
  return names;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const schedule::Machine& machine : schedule::machine_table()) names.push_back(machine.name);
  names.emplace_back("this");
  return names;
}

std::string joined_command_line(int argc, const char* const* argv) {
  std::string out = "stencilc";
  for (int i = 1; i < argc; ++i) out += " " + quoted(argv[i]);
  return out;
}

Answer usage_error(const Misuse& misuse, const CLI::App& app) {
  Diagnostics diagnostics;
  diagnostics.error(misuse.code, {}, misuse.message).hint = misuse.hint;
  const std::string command = app.get_parent() ? "stencilc " + app.get_name() : "stencilc";
  return {render(Source("stencilc", ""), diagnostics) + "Try '" + command + " --help'.\n", true, 2};
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(34);
    label("TEXT", "");
  }
  std::string make_usage(const CLI::App* app, std::string) const override {
    if (!app->get_parent()) {
      return "Usage: stencilc FILE.stn -o FILE.cu [OPTIONS]\n"
             "       stencilc COMMAND [FILE.stn] [OPTIONS]\n";
    }
    const bool takes_file = app->get_option_no_throw("FILE") != nullptr;
    const std::string name = app->get_name();
    return fmt::format("Usage: stencilc {}{}\n", name,
                       name == "completion" ? " bash|zsh"
                       : !takes_file        ? ""
                       : name == "lift"     ? " FILE.c [OPTIONS] [-- FLAGS]"
                       : name == "fmt"      ? " FILE.stn... [OPTIONS]"
                                            : " FILE.stn [OPTIONS]");
  }
};

}  // namespace

std::string quoted(const std::string& word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:@+") ==
          std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The names of the settings of each family.
std::string families_and_settings() {
  std::string out = "\n\nSchedule families and their settings:";
  for (const schedule::FamilyInfo& family : schedule::families()) {
    out += fmt::format("\n  {:<12}{}", family.name, fmt::join(family.settings, " "));
  }
  return out;
}

Parser::Parser() {
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(kExamples);
  app.set_help_flag("-h,--help", "print this help");
  app.add_flag("--version", texts.version, "print the version")->disable_flag_override();
  add_program_options(app, true);
  add_compile_options();

  CLI::App& check =
      add_command(Command::Check, "check", "report all errors and do nothing else", kCheckExamples);
  add_program_options(check, false);
  add_format_options(add_command(Command::Format, "fmt",
                                 "format programs in place; line breaks stay", kFormatExamples));
  CLI::App& explain = add_command(Command::Explain, "explain",
                                  "show halos, footprints, the chosen schedule, and all refusals",
                                  kExplainExamples + families_and_settings());
  add_program_options(explain, true);
  add_target_option(explain);
  add_full_option(explain, explain.get_option("--target")->get_group());
  explain
      .add_flag("--counts", arguments.counts,
                "count what kernels access: loads, sectors, bank conflicts")
      ->disable_flag_override()
      ->group(explain.get_option("--target")->get_group());
  add_device_option(explain, "choose the schedule for this device, which must be present");
  add_subdomain_options(explain, "split the grid over N MPI ranks, or along x, y, z as 2x2x1");
  CLI::App& explore =
      add_command(Command::Explore, "explore", "rank all schedules by the model, or measure them",
                  kExploreExamples);
  add_program_options(explore, false);
  add_target_option(explore);
  add_device_option(explore, "schedules for this device, which must be present");
  add_explore_options(explore, arguments.explore);
  CLI::App& run =
      add_command(Command::Run, "run", "run the program on a device of this machine", kRunExamples);
  add_program_options(run, true);
  add_run_options(run);
  CLI::App& verify = add_command(Command::Verify, "verify",
                                 "compare every device and schedule with the reference interpreter",
                                 kVerifyExamples);
  add_program_options(verify, true);
  add_verify_options(verify);
  add_lift_options(add_command(Command::Lift, "lift",
                               "lift C or C++ loops to a program, and verify it", kLiftExamples));
  add_devices_options(add_command(Command::Devices, "devices",
                                  "list the devices and why some are absent, or measure them",
                                  kDevicesExamples));
  add_cache_options(add_command(
      Command::Cache, "cache", "show the cache of compiled kernels, or shrink it", kCacheExamples));
  add_tuned_options(
      add_command(Command::Tuned, "tuned",
                  "show the schedules that were measured; export, import, clear", kTunedExamples),
      arguments.tuned);
  add_completion_options(add_command(Command::Completion, "completion",
                                     "print a script for the completion of a shell",
                                     kCompletionExamples));
  app.require_subcommand(0, 1);
}

CLI::App& Parser::add_command(Command command, const std::string& name, const std::string& text,
                              const std::string& examples) {
  CLI::App* added = app.add_subcommand(name, text);
  added->footer(examples);
  added->set_help_flag("-h,--help", "print this help");
  commands.emplace_back(added, command);
  return *added;
}

void Parser::add_target_option(CLI::App& to) {
  CLI::Option* target = add_value(to, "--target", one_of(target_names(), arguments.target),
                                  "language of the kernels (that of the device)")
                            ->option_text(fmt::format("{}", fmt::join(target_names(), "|")));
  add_machine_option(to, target->get_group());
}

void Parser::add_program_options(CLI::App& to, bool with_schedule) {
  to.add_option("FILE", arguments.file, "the program (.stn), or a C or C++ file to lift");
  const std::string group = "Program";
  add_value(to, "--function", some_text("the name of a function", arguments.function),
            "the function of a C file to lift (compiler flags after --)")
      ->option_text("NAME")
      ->group(group);
  to.add_option("-D", texts.definitions, "set a param; repeatable")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  to.add_option("--open", arguments.program.open,
                "leave an integer param open for run time; repeatable")
      ->option_text("NAME")
      ->allow_extra_args(false)
      ->group(group);
  to.add_option("--fix", arguments.program.fixed,
                "compile a param's value into the code; repeatable")
      ->option_text("NAME")
      ->allow_extra_args(false)
      ->group(group);
  add_value(to, "--real", one_of({"float", "double"}, texts.real),
            "the type that 'real' stands for (float)")
      ->option_text("float|double")
      ->group(group);
  add_value(to, "--fp", one_of({"strict", "contract", "fast"}, texts.fp),
            "floating-point mode (contract); only fast may vary by schedule")
      ->option_text("strict|contract|fast")
      ->group(group);
  add_value(to, "--steps", whole_number(0, "a number of steps", arguments.program.steps),
            "number of time steps, instead of the program's")
      ->option_text("N")
      ->group(group);
  if (!with_schedule) return;
  add_value(to, "--schedule",
            some_text("auto or a line of a family and settings", arguments.schedule),
            "auto, or one line like \"overlapped T=4 block=32x8\"")
      ->option_text("LINE")
      ->group(group);
}

void Parser::add_compile_options() {
  const std::string group = "Output";
  add_value(app, "--device", some_text("the name of a device", arguments.device),
            "target device: opencl[:NAME] for .cl output, any with --measure")
      ->option_text("DEVICE")
      ->group(group);
  add_value(app, "-o,--output", some_text("the name of a file", arguments.output),
            "output file; - is standard output, the default with --emit")
      ->option_text("FILE")
      ->group(group);
  add_value(app, "--target", one_of(target_names(), arguments.target),
            "output language; default: from the extension of --output")
      ->option_text(fmt::format("{}", fmt::join(target_names(), "|")))
      ->group(group);
  add_machine_option(app, group);
  app.add_flag("--compile", arguments.compile,
               "auto also rates the machine code of the best schedules (CUDA)")
      ->disable_flag_override()
      ->group(group);
  app.add_flag("--measure", arguments.measure,
               "auto times a few schedules on the device that runs this target")
      ->disable_flag_override()
      ->group(group);
  app.add_flag("--main", arguments.main, "add a main() that runs, times and checks the program")
      ->disable_flag_override()
      ->group(group);
  add_value(app, "--boxes", whole_number(1, "a number of steps", texts.boxes),
            "also write entry points for MPI ranks: K steps of a box per call")
      ->option_text("K")
      ->group(group);
  app.add_option("--header", texts.header,
                 "also write a C header and a Fortran module (beside the output)")
      ->option_text("[FILE]")
      ->expected(0, 1)
      ->default_str(kBesideTheOutput)
      ->group(group);
  std::vector<std::string> stages = {"ast", "stn", "ir", "kernel-ir", "host-ir"};
  for (const std::string& name : target_names()) stages.push_back(name);
  add_value(app, "--emit", one_of(stages, arguments.emit),
            "print one stage: ast, stn, ir, kernel-ir, host-ir, or a language")
      ->option_text(fmt::format("{}", fmt::join(stages, "|")))
      ->group(group);
  app.add_flag("--time-passes", arguments.time_passes, "print the time of each compiler pass")
      ->disable_flag_override()
      ->group(group);
  app.add_option("--print-after", arguments.print_after,
                 "print the IR after a pass (or all) to standard error; repeatable")
      ->option_text("PASS")
      ->allow_extra_args(false)
      ->group(group);
}

void Parser::add_device_option(CLI::App& to, const std::string& text) {
  add_value(to, "--device", some_text("the name of a device", arguments.device), text)
      ->option_text("DEVICE")
      ->group("Device");
}

void Parser::add_subdomain_options(CLI::App& to, const std::string& ranks) {
  CLI::Option* gpus = to.add_option("--gpus", arguments.gpus,
                                    "split the grid over N GPUs, or along x, y, z as 2x2x1")
                          ->option_text("N|AxB..")
                          ->group("Device");
  to.add_option("--ranks", arguments.ranks, ranks)
      ->option_text("N|AxB..")
      ->excludes(gpus)
      ->group("Device");
  add_value(to, "--exchange", whole_number(1, "a number of steps", texts.exchange),
            "steps between two halo exchanges (chosen by the model)")
      ->option_text("K")
      ->group("Device");
}

void Parser::add_machine_option(CLI::App& to, const std::string& group) {
  add_value(to, "--machine", one_of(machine_names(), arguments.machine),
            "schedules for this machine, see 'stencilc devices' (this)")
      ->option_text("sm_80|gfx90a|cpu|...|this")
      ->group(group);
}

void Parser::add_full_option(CLI::App& to, const std::string& group) {
  to.add_flag("--full", arguments.full, "print schedules with all of their settings")
      ->disable_flag_override()
      ->group(group);
}

void Parser::add_run_options(CLI::App& to) {
  add_device_option(to, "auto, cuda[:NUMBER], opencl[:NAME], host or reference (auto)");
  add_subdomain_options(to, "under mpirun: split the grid over the ranks as 2x2x1");
  const std::string group = "Data";
  to.add_option("--in", texts.inputs, "read a field before the run; repeatable")
      ->option_text("FIELD=X.npy")
      ->allow_extra_args(false)
      ->group(group);
  CLI::Option* out = to.add_option("--out", texts.outputs,
                                   "write a field: .npy .nc .vti .png .gif .apng; repeatable")
                         ->option_text("FIELD=FILE[,OPTION..]")
                         ->allow_extra_args(false)
                         ->group(group);
  add_value(to, "--every", whole_number(1, "a number of steps", texts.every),
            "also write the --out files every K steps, as X_000100.npy")
      ->option_text("K")
      ->needs(out)
      ->group(group);
  to.add_option("--slice", texts.slices,
                "plane of a picture: axis z, w, ... (or d0, ...); default: middle")
      ->option_text("AXIS=N")
      ->allow_extra_args(false)
      ->group(group);
  to.add_option("--range", texts.range, "values of the first and last colour of a picture")
      ->option_text("LOW:HIGH")
      ->group(group);
  to.add_flag("--plain", arguments.picture.plain,
              "draw only the data in a picture: no title, axes, colour bar")
      ->disable_flag_override()
      ->group(group);
  to.add_flag("--flip", arguments.picture.flip,
              "draw pictures with y upwards: the first row at the bottom")
      ->disable_flag_override()
      ->group(group);
  to.add_option("--fps", texts.fps, "frames per second of a .gif or .apng, 0.1 to 50 (15)")
      ->option_text("N")
      ->group(group);
  add_value(to, "--history", some_text("the name of a file", arguments.history),
            "append each evaluation of a reduction, a row per step")
      ->option_text("FILE.csv")
      ->group(group);
  to.add_flag("--stats", arguments.stats, "print extent, mean and norm of every field")
      ->disable_flag_override()
      ->group(group);
  add_full_option(to, group);
  to.add_option("--save-code", arguments.code,
                "write source (.cu, .cl, .cpp) or compiled code; repeatable")
      ->option_text("FILE.cu|.cl|.cpp|.ptx|.cubin|.bin")
      ->allow_extra_args(false)
      ->group(group);
  const std::string long_runs = "Long runs";
  CLI::Option* checkpoint =
      add_value(to, "--checkpoint", some_text("the name of a file", arguments.checkpoint),
                "write the whole state when the run ends")
          ->option_text("FILE")
          ->group(long_runs);
  to.add_option("--checkpoint-every", texts.checkpoint_every,
                "also write the checkpoint every K steps, or K seconds (Ks)")
      ->option_text("K|Ks")
      ->needs(checkpoint)
      ->group(long_runs);
  add_value(to, "--restart", some_text("the name of a file", arguments.restart),
            "continue from a checkpoint")
      ->option_text("FILE")
      ->group(long_runs);
  add_value(to, "--on-nan", one_of({"stop", "continue", "ignore"}, arguments.on_nan),
            "action if results become NaN or infinite (stop, with status 4)")
      ->option_text("stop|continue|ignore")
      ->group(long_runs);
}

void Parser::add_format_options(CLI::App& to) {
  to.add_option("FILE", arguments.files, "programs (.stn); - formats standard input");
  to.add_flag("--check", arguments.only_check,
              "write nothing; name unformatted files, with exit status 1")
      ->disable_flag_override();
}

void Parser::add_completion_options(CLI::App& to) {
  add_value(to, "SHELL", one_of({"bash", "zsh"}, arguments.shell), "bash or zsh")->option_text(" ");
}

void Parser::add_devices_options(CLI::App& to) {
  CLI::Option* measure = to.add_flag("--measure", arguments.measure,
                                     "measure rates, latencies and caches, about 20 s per device");
  measure->disable_flag_override();
  add_device_option(to, "with --measure: only this device, not all present ones");
  to.get_option("--device")->needs(measure);
  add_value(to, "--json", some_text("the name of a file", arguments.json),
            "with --measure: also write the figures to a file")
      ->option_text("FILE")
      ->needs(measure);
}

void Parser::add_cache_options(CLI::App& to) {
  CLI::Option* clear = to.add_flag("--clear", texts.clear_cache, "remove every entry");
  clear->disable_flag_override();
  const Reader size{"a number of bytes, like 4096, 100K, 100M or 2G", [this](const auto& text) {
                      arguments.cache_limit = runtime::parse_size(text);
                      return *arguments.cache_limit >= 0;
                    }};
  add_value(to, "--size", size, "remove the least recently used entries beyond this size")
      ->option_text("BYTES")
      ->excludes(clear);
}

void Parser::add_verify_options(CLI::App& to) {
  add_device_option(to, "use only this device, not all present ones");
  const std::string group = "Thoroughness";
  to.add_flag("--quick", arguments.quick, "fewer schedules, sizes and step counts")
      ->disable_flag_override()
      ->group(group);
  CLI::Option* full =
      to.add_flag("--full", arguments.full, "run every case; print schedules with all settings")
          ->disable_flag_override()
          ->group(group);
  add_value(to, "--budget", seconds_of(arguments.budget),
            "seconds after which no case is started (30)")
      ->option_text("SECONDS")
      ->excludes(full)
      ->group(group);
  const Reader seed{fmt::format("a number from 0 to {}", UINT64_MAX), [this](const auto& text) {
                      const auto value = parse_number<uint64_t>(text);
                      arguments.seed = value.value_or(0);
                      return value.has_value();
                    }};
  add_value(to, "--seed", seed, "seed of the random initial data (1)")
      ->option_text("N")
      ->group(group);
}

void Parser::add_lift_options(CLI::App& to) {
  to.add_option("FILE", arguments.file, "a C or C++ file");
  const std::string group = "Source";
  add_value(to, "--function", some_text("the name of a function", arguments.function),
            "function to lift; default: #pragma scop, or the only grid loop")
      ->option_text("NAME")
      ->group(group);
  to.add_option("--unroll", arguments.unroll, "unroll loops of at most N known iterations (32)")
      ->option_text("N")
      ->group(group);
  to.add_option("--param", arguments.params,
                "a macro or constant that becomes a param of the program; repeatable")
      ->option_text("NAME")
      ->allow_extra_args(false)
      ->group(group);
  const std::string output = "Output";
  add_value(to, "-o,--output", some_text("the name of a file", arguments.output),
            "output file; without it, or with -: standard output")
      ->option_text("FILE")
      ->group(output);
  to.add_flag("--replace", arguments.replace,
              "write a .cu or .cpp with a function that replaces the original")
      ->disable_flag_override()
      ->group(output);
  to.add_flag("--device-pointers", arguments.device_pointers,
              "with --replace and .cu: the arrays are in GPU memory")
      ->disable_flag_override()
      ->group(output);
  add_value(to, "--fp", one_of({"strict", "contract", "fast"}, texts.fp),
            "with --replace: floating-point mode (contract)")
      ->option_text("strict|contract|fast")
      ->group(output);
  to.add_flag("--verify,!--no-verify", arguments.verify,
              "compare with the original, run confined (default)")
      ->group(output);
}

std::variant<Arguments, Answer> parse_command_line(int argc, const char* const* argv) {
  Parser parser;
  parser.arguments.command_line = joined_command_line(argc, argv);
  std::optional<Misuse> misuse;
  // Arguments after -- are for the C compiler.
  const int all = argc;
  argc = static_cast<int>(std::find(argv + 1, argv + argc, std::string("--")) - argv);
  if (argc < all) parser.arguments.flags.assign(argv + argc + 1, argv + all);
  try {
    parser.app.parse(argc, const_cast<char**>(argv));
  } catch (const CLI::CallForHelp&) {
    return Answer{parser.active().help()};
  } catch (const CLI::ParseError& error) {
    misuse = parser.explain(error);
    // `stencilc chek heat.stn`: the first word was parsed as the program.
    if (misuse->code == "U003") misuse = parser.check_files().value_or(*misuse);
  }
  // CLI11 would use the next word as the missing value.
  for (int i = 1; i < argc && !misuse; ++i) {
    const std::string word = argv[i];
    const bool bare = word.starts_with("--") && word.find('=') == word.size() - 1;
    if (bare) misuse = Misuse{"U004", word.substr(0, word.size() - 1) + " needs a value", ""};
  }
  if (!misuse && parser.texts.version) return Answer{fmt::format("stencilc {}\n", version())};
  if (!misuse && argc == 1) return Answer{parser.app.help(), true, 2};
  if (!misuse) misuse = parser.finish();
  if (!misuse && argc < all && !runtime::is_c_file(parser.arguments.file)) {
    misuse = Misuse{"U001", "unknown option '--'",
                    "flags of a C compiler are for C files; a file named -x is ./-x"};
  }
  if (misuse) return usage_error(*misuse, parser.active());
  const std::string output = std::filesystem::path(parser.arguments.output).filename().string();
  if (!output.empty() && output != runtime::kStandardOutput)
    parser.arguments.output_name = quoted(output);
  return parser.arguments;
}

}  // namespace stencil::tool
