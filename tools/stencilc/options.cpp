// The command line, through CLI11. What a subcommand may be told is declared here and nowhere else,
// so
// --help cannot leave anything out.
//
// CLI11 reports a misspelt option as an unexpected argument. That becomes an error with a code and
// the nearest option that exists, like every other message of stencilc. The first word is a program
// or a subcommand; a word that is neither is taken for a misspelt subcommand.
#include "tools/stencilc/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "compiler/emit/emit.h"
#include "compiler/schedule/machine.h"
#include "compiler/support/diagnostic.h"
#include "compiler/support/numbers.h"
#include "runtime/devices/kernel_cache.h"
#include "tools/option_values.h"
#include "tools/stencilc/help_texts.h"
#include "tools/stencilc/save_code.h"

namespace stencil::tool {
namespace {

constexpr const char* kVersion = "stencilc 0.1.0";

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

// What --header without a name holds; no argument can be this.
const std::string kBesideTheOutput(1, '\0');

// Of a name that may be none, as one that is too long.
bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// "NAME=VALUE"; nothing if there is no '=' with something before it.
std::optional<Assignment> split_assignment(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  return Assignment{text.substr(0, equals), text.substr(equals + 1)};
}

// "LOW:HIGH", the first below the second; or what is wrong.
std::variant<std::pair<double, double>, Misuse> parse_range(const std::string& text) {
  const std::string found = fmt::format("--range takes LOW:HIGH, found '{}'", text);
  const size_t colon = text.find(':');
  if (colon == std::string::npos) {
    return Misuse{"U006", found, "two numbers, the first below the second: 0:1"};
  }
  const std::string texts[] = {text.substr(0, colon), text.substr(colon + 1)};
  std::optional<double> ends[2];
  for (int i = 0; i < 2; ++i) {
    ends[i] = parse_real(texts[i]);
    if (!ends[i]) return Misuse{"U006", found, fmt::format("'{}' is no finite number", texts[i])};
  }
  if (*ends[0] < *ends[1]) return std::pair{*ends[0], *ends[1]};
  const bool equal = *ends[0] == *ends[1];
  return Misuse{
      "U006", found,
      "the first below the second" + (equal ? "" : fmt::format(": {}:{}", texts[1], texts[0]))};
}

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

// What CLI11 hands over as text, before it becomes Arguments.
struct Texts {
  std::vector<std::string> definitions, inputs, outputs, slices;
  std::string real = "float", fp = "contract";
  bool clear_cache = false;
  std::optional<int64_t> every;
  std::optional<std::string> range, checkpoint_every;
  std::string header;
  bool version = false;
};

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
    return fmt::format("Usage: stencilc {}{}\n", app->get_name(),
                       takes_file ? " FILE.stn [OPTIONS]" : "");
  }
};

struct Parser {
  CLI::App app{
      "stencilc compiles stencil programs (.stn) into CUDA, HIP, OpenCL and C++ kernels\n"
      "with time tiling, runs them, and checks every device against a reference interpreter.",
      "stencilc"};
  Arguments arguments;
  Texts texts;
  std::vector<std::pair<CLI::App*, Command>> commands;

  Parser();
  void add_program_options(CLI::App& app, bool with_schedule);
  void add_compile_options();
  void add_run_options(CLI::App& app);
  void add_verify_options(CLI::App& app);
  void add_devices_options(CLI::App& app);
  void add_cache_options(CLI::App& app);
  void add_device_option(CLI::App& app, const std::string& text);
  void add_machine_option(CLI::App& app, const std::string& group);
  void add_target_option(CLI::App& app);
  void add_full_option(CLI::App& app, const std::string& group);
  CLI::App& add_command(Command command, const std::string& name, const std::string& text,
                        const std::string& examples);
  const CLI::App& active() const;
  Misuse explain(const CLI::ParseError& error) const;
  std::optional<Misuse> check_order() const;
  std::optional<Misuse> finish();
  std::optional<Misuse> read_assignments();
  std::optional<Misuse> read_long_run();
  std::optional<Misuse> check_open_params() const;
  std::optional<Misuse> check_files();
};

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
  CLI::App& explain = add_command(Command::Explain, "explain",
                                  "show halos, footprints, the schedule and why, and all refusals",
                                  kExplainExamples);
  add_program_options(explain, true);
  add_target_option(explain);
  add_full_option(explain, explain.get_option("--target")->get_group());
  add_device_option(explain, "schedules as for this device, which must be present");
  CLI::App& explore = add_command(Command::Explore, "explore",
                                  "rank every schedule by the model; measure them", kExploreExamples);
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
  add_devices_options(add_command(Command::Devices, "devices",
                                  "list the devices and why some are absent, or measure them",
                                  kDevicesExamples));
  add_cache_options(add_command(
      Command::Cache, "cache", "show the cache of compiled kernels, or shrink it", kCacheExamples));
  add_tuned_options(
      add_command(Command::Tuned, "tuned",
                  "show the schedules that were measured; export, import, clear", kTunedExamples),
      arguments.tuned);
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
  CLI::Option* target =
      add_value(to, "--target", one_of(target_names(), arguments.target),
                "what the kernels are for; default: cuda")
          ->option_text(fmt::format("{}", fmt::join(target_names(), "|")));
  add_machine_option(to, target->get_group());
}

void Parser::add_program_options(CLI::App& to, bool with_schedule) {
  to.add_option("FILE", arguments.file, "the program, a .stn file");
  const std::string group = "Program";
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
                "make a param's value part of the code, no argument; repeatable")
      ->option_text("NAME")
      ->allow_extra_args(false)
      ->group(group);
  add_value(to, "--real", one_of({"float", "double"}, texts.real),
            "what the type real means (float)")
      ->option_text("float|double")
      ->group(group);
  add_value(to, "--fp", one_of({"strict", "contract", "fast"}, texts.fp),
            "floating point (contract); only fast may change bits")
      ->option_text("strict|contract|fast")
      ->group(group);
  add_value(to, "--steps", whole_number(0, "a number of steps", arguments.program.steps),
            "time steps, instead of the program's")
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
            "opencl[:NAME]: kernels of a .cl for this device of the machine")
      ->option_text("DEVICE")
      ->group(group);
  add_value(app, "-o,--output", some_text("the name of a file", arguments.output),
            "where to write; without it, and with --emit, standard output")
      ->option_text("FILE")
      ->group(group);
  add_value(app, "--target", one_of(target_names(), arguments.target),
            "the language, if the extension does not tell")
      ->option_text(fmt::format("{}", fmt::join(target_names(), "|")))
      ->group(group);
  add_machine_option(app, group);
  app.add_flag("--main", arguments.main, "add a main() that runs, times and checks the program")
      ->disable_flag_override()
      ->group(group);
  app.add_option("--header", texts.header, "write a C header too, by default beside the output")
      ->option_text("[FILE]")
      ->expected(0, 1)
      ->default_str(kBesideTheOutput)
      ->group(group);
  std::vector<std::string> stages = {"ast", "ir", "kernel-ir"};
  for (const std::string& name : target_names()) stages.push_back(name);
  add_value(app, "--emit", one_of(stages, arguments.emit),
            "print one stage: ast, ir, kernel-ir, or a language")
      ->option_text(fmt::format("{}", fmt::join(stages, "|")))
      ->group(group);
}

void Parser::add_device_option(CLI::App& to, const std::string& text) {
  add_value(to, "--device", some_text("the name of a device", arguments.device), text)
      ->option_text("DEVICE")
      ->group("Device");
}

void Parser::add_machine_option(CLI::App& to, const std::string& group) {
  add_value(to, "--machine", one_of(machine_names(), arguments.machine),
            "what schedules are for: see 'stencilc devices' (by target)")
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
  const std::string group = "Data";
  to.add_option("--in", texts.inputs, "read a field before the run; repeatable")
      ->option_text("FIELD=X.npy")
      ->allow_extra_args(false)
      ->group(group);
  CLI::Option* out =
      to.add_option("--out", texts.outputs, "write a field after the run; repeatable")
          ->option_text("FIELD=X.npy|.png|.vti")
          ->allow_extra_args(false)
          ->group(group);
  add_value(to, "--every", whole_number(1, "a number of steps", texts.every),
            "write them every K steps too, as X_000100.npy")
      ->option_text("K")
      ->needs(out)
      ->group(group);
  to.add_option("--slice", texts.slices,
                "the plane of a .png: axis z, w, ... (or d0, ...); default: middle")
      ->option_text("AXIS=N")
      ->allow_extra_args(false)
      ->group(group);
  to.add_option("--range", texts.range, "values of the first and last colour of a .png")
      ->option_text("LOW:HIGH")
      ->group(group);
  to.add_flag("--plain", arguments.plain, "a .png has the data alone: no title, axes, colour bar")
      ->disable_flag_override()
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
                "write source (.cu, .cl, .cpp) or what came of it; repeatable")
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
                "and every K steps, or every K seconds (Ks)")
      ->option_text("K|Ks")
      ->needs(checkpoint)
      ->group(long_runs);
  add_value(to, "--restart", some_text("the name of a file", arguments.restart),
            "go on from a checkpoint")
      ->option_text("FILE")
      ->group(long_runs);
  add_value(to, "--on-nan", one_of({"stop", "continue"}, arguments.on_nan),
            "when a reduction becomes NaN: end the run (stop)")
      ->option_text("stop|continue")
      ->group(long_runs);
}

void Parser::add_devices_options(CLI::App& to) {
  CLI::Option* measure = to.add_flag("--measure", arguments.measure,
                                     "measure rates, latencies and caches, about 20 s per device");
  measure->disable_flag_override();
  add_device_option(to, "with --measure: only this device instead of every one present");
  to.get_option("--device")->needs(measure);
  add_value(to, "--json", some_text("the name of a file", arguments.json),
            "with --measure: write the figures to a file too")
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
  add_value(to, "--size", size, "remove the entries used least recently until at most this is left")
      ->option_text("BYTES")
      ->excludes(clear);
}

void Parser::add_verify_options(CLI::App& to) {
  add_device_option(to, "only this device instead of every one present");
  const std::string group = "Thoroughness";
  to.add_flag("--quick", arguments.quick, "fewer schedules, sizes and step counts")
      ->disable_flag_override()
      ->group(group);
  add_full_option(to, group);
  const Reader seed{fmt::format("a number from 0 to {}", UINT64_MAX), [this](const auto& text) {
                      const auto value = parse_number<uint64_t>(text);
                      arguments.seed = value.value_or(0);
                      return value.has_value();
                    }};
  add_value(to, "--seed", seed, "seed of the random initial data (1)")
      ->option_text("N")
      ->group(group);
}

const CLI::App& Parser::active() const {
  for (const auto& [command, kind] : commands) {
    if (command->parsed()) return *command;
  }
  return app;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

Misuse Parser::explain(const CLI::ParseError& error) const {
  std::vector<std::string> extras = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) && !extras.empty()) {
    const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& s) {
      return s.size() > 1 && s[0] == '-';
    });
    if (option != extras.end()) {
      const std::string name = option->substr(0, option->find('='));
      const std::string near = nearest_name(name, option_names(active()));
      return {"U001", "unknown option '" + name + "'",
              near.empty() ? "" : "did you mean '" + near + "'?"};
    }
    if (active().get_parent() || is_there(arguments.file)) {
      return {"U002", "unexpected argument '" + extras.front() + "'", ""};
    }
    return {"U003", "unknown command '" + arguments.file + "'", ""};  // with a hint by finish()
  }
  return explain_value(error, active());
}

// CLI11 takes options and a program ahead of the command for those of the compiler, and so they
// would be ignored.
std::optional<Misuse> Parser::check_order() const {
  if (!active().get_parent()) return std::nullopt;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    const bool file = option->get_positional();
    return Misuse{
        "U002",
        fmt::format("'{}' before the command '{}'",
                    file ? option->results().front() : option->get_name(), active().get_name()),
        "the command is the first word"};
  }
  return std::nullopt;
}

std::optional<Misuse> Parser::check_files() {
  for (const std::string& path : arguments.code) {
    if (code_kind(path)) continue;
    return Misuse{"U021", fmt::format("the name of '{}' does not say what code it is for", path),
                  "source .cu, .cl or .cpp; .ptx; machine code .cubin or .bin"};
  }
  if (arguments.command == Command::Devices || arguments.command == Command::Cache ||
      arguments.command == Command::Tuned) {
    return std::nullopt;
  }
  // --header takes an optional name, so it may have swallowed the program's.
  const std::filesystem::path header = texts.header;
  if (arguments.file.empty() && header.extension() == ".stn") {
    arguments.file = std::exchange(*arguments.header, "");
  }
  if (arguments.file.empty()) return Misuse{"U005", "no program given", "name a .stn file"};
  if (arguments.command != Command::Compile) return std::nullopt;

  std::vector<std::string> names;
  for (const auto& [command, kind] : commands) names.push_back(command->get_name());
  const std::filesystem::path file = arguments.file;
  const bool command_like = !file.has_extension() && !file.has_parent_path();
  if (command_like && !is_there(file)) {
    const std::string near = nearest_name(arguments.file, names);
    return Misuse{"U003", "unknown command '" + arguments.file + "'",
                  near.empty() ? "" : "did you mean '" + near + "'?"};
  }
  return std::nullopt;
}

std::optional<Misuse> Parser::read_assignments() {
  for (const std::string& text : texts.definitions) {
    const auto assignment = split_assignment(text);
    if (!assignment || assignment->value.empty()) {
      return Misuse{"U006", "-D takes NAME=VALUE, found '" + text + "'", ""};
    }
    if (!arguments.program.definitions.emplace(assignment->name, assignment->value).second) {
      return given_twice("-D", assignment->name);
    }
  }
  for (const auto& [option, from, to] : {std::tuple{"--in", &texts.inputs, &arguments.inputs},
                                         std::tuple{"--out", &texts.outputs, &arguments.outputs}}) {
    for (const std::string& text : *from) {
      const auto assignment = split_assignment(text);
      if (to == &arguments.outputs && text.find('=') == std::string::npos &&
          text.ends_with(".vti")) {
        to->push_back({"", text});  // all fields
        continue;
      }
      if (!assignment || assignment->value.empty()) {
        return Misuse{"U006", fmt::format("{} takes FIELD=FILE, found '{}'", option, text),
                      to == &arguments.outputs ? "a .vti file alone takes all fields" : ""};
      }
      const bool repeated = std::any_of(to->begin(), to->end(), [&](const Assignment& earlier) {
        return earlier.name == assignment->name;
      });
      if (repeated && to == &arguments.inputs) return given_twice(option, assignment->name);
      to->push_back(*assignment);
    }
  }
  for (const std::string& text : texts.slices) {
    const auto assignment = split_assignment(text);
    const auto value = parse_integer(assignment ? assignment->value : "");
    if (!value) return Misuse{"U006", "--slice takes AXIS=N, found '" + text + "'", ""};
    if (!arguments.slice.emplace(assignment->name, *value).second) {
      return given_twice("--slice", assignment->name);
    }
  }
  return std::nullopt;
}

// --every, --range, --checkpoint-every and --restart.
std::optional<Misuse> Parser::read_long_run() {
  arguments.every = texts.every.value_or(0);
  if (texts.range) {
    const auto range = parse_range(*texts.range);
    if (const auto* misuse = std::get_if<Misuse>(&range)) return *misuse;
    arguments.range = std::get<0>(range);
  }
  const bool pictures =
      std::any_of(arguments.outputs.begin(), arguments.outputs.end(),
                  [](const Assignment& output) { return output.value.ends_with(".png"); });
  if (texts.range && !pictures) {
    return Misuse{"U010", "--range without a .png file among --out", "pictures have colours"};
  }
  if (arguments.plain && !pictures) {
    return Misuse{"U010", "--plain without a .png file among --out", "pictures have a frame"};
  }
  if (texts.checkpoint_every) {
    const std::string& interval = *texts.checkpoint_every;
    const bool in_seconds = interval.ends_with('s');
    const auto seconds = parse_real(interval.substr(0, interval.size() - in_seconds));
    if (in_seconds) arguments.checkpoint_seconds = seconds.value_or(0);
    if (!in_seconds) arguments.checkpoint_steps = parse_integer(interval).value_or(0);
    if (arguments.checkpoint_seconds <= 0 && arguments.checkpoint_steps <= 0) {
      return Misuse{
          "U006",
          fmt::format("--checkpoint-every takes steps or seconds, like 1000 or 60s, found '{}'",
                      interval),
          ""};
    }
  }
  if (!arguments.restart.empty() && !arguments.inputs.empty()) {
    return Misuse{"U010", "--restart and --in contradict each other",
                  "a checkpoint has all fields: leave --in out"};
  }
  return std::nullopt;
}

// A param is open or has a value. `run` compiles it open and then gives it the value.
std::optional<Misuse> Parser::check_open_params() const {
  for (const auto& [option, names] : {std::pair{"--open", &arguments.program.open},
                                      std::pair{"--fix", &arguments.program.fixed}}) {
    for (const std::string& name : *names) {
      if (std::count(names->begin(), names->end(), name) > 1) return given_twice(option, name);
    }
  }
  for (const std::string& name : arguments.program.open) {
    if (std::count(arguments.program.fixed.begin(), arguments.program.fixed.end(), name)) {
      return Misuse{"U010", fmt::format("--open {0} and --fix {0} contradict each other", name),
                    "leave one of them out"};
    }
    if (arguments.command != Command::Run && arguments.program.definitions.count(name)) {
      return Misuse{"U010", fmt::format("--open {0} and -D {0}=... contradict each other", name),
                    "an open param gets its value at run time: leave one of them out"};
    }
  }
  return std::nullopt;
}

// From texts to arguments, after CLI11 has accepted the line.
std::optional<Misuse> Parser::finish() {
  for (const auto& [command, kind] : commands) {
    if (command->parsed()) arguments.command = kind;
  }
  if (app.get_option("--header")->count() > 0) {
    if (texts.header.empty()) {
      return Misuse{"U004", "--header takes the name of a file, found ''", ""};
    }
    arguments.header = texts.header == kBesideTheOutput ? "" : texts.header;
  }
  if (const auto misuse = check_order()) return misuse;
  if (const auto misuse = check_files()) return misuse;
  if (const auto misuse = read_assignments()) return misuse;
  if (const auto misuse = read_long_run()) return misuse;
  if (const auto misuse = check_open_params()) return misuse;
  arguments.program.real = texts.real == "double" ? ElementType::Double : ElementType::Float;
  arguments.program.fp = texts.fp == "strict" ? FloatingPoint::Strict
                         : texts.fp == "fast" ? FloatingPoint::Fast
                                              : FloatingPoint::Contract;
  if (texts.clear_cache) arguments.cache_limit = 0;
  return std::nullopt;
}

}  // namespace

std::variant<Arguments, Answer> parse_command_line(int argc, const char* const* argv) {
  Parser parser;
  parser.arguments.command_line = joined_command_line(argc, argv);
  std::optional<Misuse> misuse;
  if (std::any_of(argv + 1, argv + argc, [](const std::string& word) { return word == "--"; })) {
    return usage_error({"U001", "unknown option '--'", "a file named -x is ./-x"}, parser.app);
  }
  try {
    parser.app.parse(argc, const_cast<char**>(argv));
  } catch (const CLI::CallForHelp&) {
    return Answer{parser.active().help()};
  } catch (const CLI::ParseError& error) {
    misuse = parser.explain(error);
    // `stencilc chek heat.stn`: the first word was taken for the program.
    if (misuse->code == "U003") misuse = parser.check_files().value_or(*misuse);
  }
  // CLI11 takes the next word for the value that is missing.
  for (int i = 1; i < argc && !misuse; ++i) {
    const std::string word = argv[i];
    const bool bare = word.starts_with("--") && word.find('=') == word.size() - 1;
    if (bare) misuse = Misuse{"U004", word.substr(0, word.size() - 1) + " needs a value", ""};
  }
  if (!misuse && parser.texts.version) return Answer{std::string(kVersion) + "\n"};
  if (!misuse && argc == 1) return Answer{parser.app.help(), true, 2};
  if (!misuse) misuse = parser.finish();
  if (misuse) return usage_error(*misuse, parser.active());
  const std::string output = std::filesystem::path(parser.arguments.output).filename().string();
  if (!output.empty()) parser.arguments.output_name = quoted(output);
  return parser.arguments;
}

}  // namespace stencil::tool
