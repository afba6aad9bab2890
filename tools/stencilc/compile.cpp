// `stencilc FILE.stn -o FILE.cu`, and --emit for the intermediate stages.
//
// Output is written only after everything has succeeded, each file atomically.
#include "compiler/driver/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include "compiler/driver/frontend.h"
#include "compiler/host_ir/passes.h"
#include "compiler/ir/passes.h"
#include "compiler/kernel/passes.h"
#include "compiler/support/escape.h"
#include "compiler/support/pass_log.h"
#include "compiler/support/try.h"
#include "compiler/syntax/parse.h"
#include "runtime/io/file_writer.h"
#include "runtime/run/source.h"
#include "runtime/tune/compiled_choice.h"
#include "runtime/tune/timed_choice.h"
#include "runtime/tune/tuned.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/machine.h"
#include "tools/stencilc/progress.h"

namespace stencil::tool {

namespace {

using emit::TargetInfo;

const TargetInfo* target_of_file(const std::string& path) {
  for (const TargetInfo& info : emit::targets()) {
    if (std::filesystem::path(path).extension() == info.extension) return &info;
  }
  return nullptr;
}

// "FILE.cu, FILE.cl or FILE.cpp": the extensions of all targets, each after `prefix`.
std::string extensions(const std::string& prefix) {
  std::string list;
  for (const TargetInfo& info : emit::targets()) {
    const bool last = &info == &emit::targets().back();
    list += fmt::format("{}{}{}", list.empty() ? "" : last ? " or " : ", ", prefix, info.extension);
  }
  return list;
}

// The language to emit, from --emit, --target or the extension of the output. Fails if they
// contradict each other or none is given.
Result<const TargetInfo*> pick_target(const Arguments& arguments) {
  const TargetInfo* by_file = target_of_file(arguments.output);
  const TargetInfo* named = emit::target_called(arguments.target);
  if (const TargetInfo* emitted = emit::target_called(arguments.emit)) {
    if (named && named != emitted) {
      return Failure{"U010",
                     "--emit " + arguments.emit + " contradicts --target " + arguments.target, ""};
    }
    named = emitted;
  }
  if (named && by_file && named != by_file) {
    return Failure{
        "U010",
        fmt::format("the output '{}' is not a file of target {}", arguments.output, named->name),
        fmt::format("name it *{}", named->extension)};
  }
  if (named) return named;
  if (by_file) return by_file;
  if (arguments.output.empty()) {
    return Failure{"U011", "no output given",
                   fmt::format("-o {} writes a file, --emit cuda prints to standard output",
                               extensions("FILE"))};
  }
  if (arguments.output == runtime::kStandardOutput) {
    return Failure{"U011", "standard output has no extension that names the language",
                   "give --target, as in --target cuda -o -"};
  }
  return Failure{"U012", "the extension of '" + arguments.output + "' names no target",
                 fmt::format("use {}, or --target", extensions(""))};
}

// Contradictory options.
std::optional<Failure> misuse(const Arguments& arguments, bool stage) {
  if (stage && (arguments.main || arguments.header || arguments.boxes)) {
    return Failure{"U010",
                   "--emit " + arguments.emit + " takes no --main, no --boxes and no --header", ""};
  }
  const bool kernels = arguments.emit == "kernel-ir" || arguments.emit == "host-ir";
  if (stage && !arguments.target.empty() && !kernels) {
    return Failure{"U010", "--emit " + arguments.emit + " takes no --target",
                   "only --emit kernel-ir and --emit host-ir take it, and print what is emitted "
                   "for that target"};
  }
  for (const auto& [option, given] :
       {std::pair("--compile", arguments.compile), std::pair("--measure", arguments.measure)}) {
    if (given && stage) {
      return Failure{"U010", fmt::format("--emit {} takes no {}", arguments.emit, option), ""};
    }
    if (given && arguments.schedule != "auto") {
      return Failure{
          "U010",
          fmt::format("{} requires the schedule auto, but --schedule names another", option), ""};
    }
  }
  if (arguments.compile && arguments.measure) {
    return Failure{"U010", "--compile contradicts --measure",
                   "use --measure alone: it already compiles the schedules that it times"};
  }
  if (arguments.header && arguments.header->empty() &&
      (arguments.output.empty() || arguments.output == runtime::kStandardOutput)) {
    return Failure{"U014", "--header needs a name when the output has none",
                   "give --header FILE or -o"};
  }
  return std::nullopt;
}

std::string header_path(const Arguments& arguments, const TargetInfo& target) {
  if (!arguments.header) return "";
  if (!arguments.header->empty()) return *arguments.header;
  return std::filesystem::path(arguments.output).replace_extension("").string() +
         std::string(target.header_ending);
}

// The Fortran module is next to the header.
std::string fortran_path(const std::string& header) {
  if (header.empty()) return "";
  return std::filesystem::path(header).replace_extension(".f90").string();
}

// U013 if an output would overwrite the program or another output; `header` is "" if there is none.
std::optional<Failure> collision(const Arguments& arguments, const std::string& header) {
  const std::string& output = arguments.output;
  const std::string fortran = fortran_path(header);
  for (const std::string& path : {output, header, fortran}) {
    if (path.empty() || !same_file(path, arguments.file)) continue;
    return Failure{"U013", "the output '" + path + "' is the program itself", "name another file"};
  }
  if (header.empty()) return std::nullopt;
  if (!output.empty() && same_file(output, header)) {
    return Failure{"U013", "the header '" + header + "' is the output itself",
                   "name another file with --header"};
  }
  const bool is_output = !output.empty() && same_file(output, fortran);
  if (!is_output && !same_file(header, fortran)) return std::nullopt;
  return Failure{"U013",
                 fmt::format("the Fortran module '{}' is the {} itself", fortran,
                             is_output ? "output" : "header"),
                 "name another file with --header"};
}

// #include has no escapes, so some characters cannot occur in a header's name.
std::optional<Failure> unspeakable(const std::string& header) {
  const std::string name = std::filesystem::path(header).filename().string();
  if (name.find_first_of("\"\\?") == std::string::npos && visible(name) == name) {
    return std::nullopt;
  }
  return Failure{"U015", "no #include can name the header '" + header + "'",
                 "give it a name without quotes, backslashes, question marks and control "
                 "characters: --header FILE"};
}

ExitStatus deliver(const Arguments& arguments, std::vector<OutputFile> extra,
                   const std::string& text) {
  if (!arguments.output.empty()) extra.push_back({arguments.output, text});
  const Status written = write_files(extra);
  if (!written.ok()) return report(written.failure());
  return arguments.output.empty() ? print_out(text) : kSuccess;
}

// Text for --emit ast, stn, ir, kernel-ir or host-ir; nullopt with errors in `diagnostics`. Kernels
// are those of the schedule; with --target they are legalised for its language.
std::optional<std::string> stage_text(const Arguments& arguments, const Source& source,
                                      const std::optional<schedule::Machine>& machine,
                                      Diagnostics& diagnostics) {
  if (arguments.emit == "ast") {
    const auto tree = parse(source, diagnostics);
    return tree ? std::optional(print(*tree)) : std::nullopt;
  }
  if (arguments.emit == "stn") {
    const auto options = runtime::program_options(arguments.program, arguments.file);
    return write_program(source, options, diagnostics);
  }
  const auto program = load_program(
      source, runtime::program_options(arguments.program, arguments.file), diagnostics);
  if (!program) return std::nullopt;
  if (arguments.emit == "ir") return ir::print(*program);
  CompileRequest request;
  request.schedule = arguments.schedule;
  const TargetInfo* target = emit::target_called(arguments.target);
  if (target) request.emit.target = target->target;
  request.machine = machine;
  const auto compiled = compile(*program, source, request, diagnostics);
  if (!compiled) return std::nullopt;
  const kernel::Module& module = target ? compiled->legal : compiled->module;
  if (arguments.emit == "kernel-ir") return kernel::print(module);
  return host_ir::print(
      target ? emit::host_program(module, target->target) : host_ir::lower(module, {}), module);
}

ExitStatus emit_stage(const Arguments& arguments, const Source& source) {
  Diagnostics diagnostics;
  const TargetInfo* target = emit::target_called(arguments.target);
  const bool kernels =
      arguments.emit == "kernel-ir" || arguments.emit == "host-ir" || !arguments.machine.empty();
  const auto machine = kernels
                           ? assume_machine(arguments, target ? target : &emit::targets().front())
                           : Result<AssumedMachine>(AssumedMachine{});
  if (!machine.ok()) return report(machine.failure());
  const auto text = stage_text(arguments, source, machine.value().machine, diagnostics);
  const ExitStatus status = report(source, diagnostics);
  return text ? deliver(arguments, {}, *text) : status;
}

// The line for --measure: from the tuning database, or the fastest of a few schedules that are
// timed now as for a long run. `serves`: whether the target supports the line.
Result<runtime::KnownLine> measured_line(const ir::Program& program,
                                         const runtime::ChosenDevice& device,
                                         const std::function<bool(const std::string&)>& serves) {
  const auto nothing = [&](const std::string& reason, const std::string& hint) {
    return Failure{
        "R045", fmt::format("no schedules were timed on {}: {}", device.device.name, reason), hint};
  };
  if (tune::is_tuning_off()) return nothing("STENCIL_TUNED is off", "unset it");
  if (!tune::sizes_of(program)) {
    return nothing("the sizes of the grid are open", "give them: -D NAME=VALUE");
  }
  if (const auto params = runtime::bind_params(program); !params.ok()) {
    return nothing(params.failure().message, params.failure().hint);
  }
  if (auto tuned = tune::tuned_line(program, device); tuned && serves(tuned->line)) return *tuned;
  Activity activity;
  const auto timed = tune::timed_choice(
      program, device,
      {.steps = INT64_MAX, .stage = [&](const auto& what) { activity.now(what); }});
  if (timed && serves(timed->line)) return *timed;
  return nothing("it supports fewer than two schedules, or its memory is too small",
                 "omit --measure to use the model's choice");
}

// Sets schedule and machine if --compile or --measure is given.
Status choose_schedule(const Arguments& arguments, const ir::Program& program, const Source& source,
                       const TargetInfo& target, CompileRequest& request) {
  if (arguments.compile) {
    const auto choice =
        TRY(tune::compiled_choice(program, request.machine.value_or(machine_of(target.target))));
    request.schedule = choice.line;
  }
  if (!arguments.measure) return Done{};
  const auto device = TRY(device_of_target(arguments, target));
  request.machine = device.device.machine;
  request.machine_text = describe(AssumedMachine{&target, device.device.machine, device, ""});
  const auto choice = TRY(measured_line(program, device, [&](const std::string& line) {
    Diagnostics unused;
    request.schedule = line;
    return compile(program, source, request, unused).has_value();
  }));
  const auto& [line, origin] = choice;
  fmt::print(stderr, "{}", wrapped(fmt::format("{} ({})", line, origin), "schedule  "));
  return Done{};
}

ExitStatus emit_target(const Arguments& arguments, const Source& source, const TargetInfo& target,
                       const std::string& header) {
  CompileRequest request;
  request.schedule = request.box_schedule = arguments.schedule;
  request.boxes = arguments.boxes;
  request.command_line = arguments.command_line;
  if (!arguments.output_name.empty()) request.file_name = arguments.output_name;
  request.emit.target = target.target;
  request.emit.main = arguments.main;
  request.emit.header_name = std::filesystem::path(header).filename().string();
  if (arguments.measure) {  // check the outputs before timing
    for (const std::string& path : {arguments.output, header, fortran_path(header)}) {
      if (path.empty()) continue;
      const auto tried = runtime::FileWriter::create(path);
      if (!tried.ok()) return report(tried.failure());
    }
  } else {
    const auto assumed = assume_machine(arguments, &target);
    if (!assumed.ok()) return report(assumed.failure());
    request.machine = assumed.value().machine;
    request.machine_text = describe(assumed.value());
  }

  Diagnostics diagnostics;
  std::optional<Compiled> compiled;
  if (const auto program = load_program(
          source, runtime::program_options(arguments.program, arguments.file), diagnostics)) {
    const Status chosen = choose_schedule(arguments, *program, source, target, request);
    if (!chosen.ok()) return report(chosen.failure());
    compiled = compile(*program, source, request, diagnostics);
  }
  const ExitStatus status = report(source, diagnostics);
  if (!compiled) return status;
  std::vector<OutputFile> extra;
  if (!header.empty()) {
    extra.push_back({header, compiled->header});
    extra.push_back({fortran_path(header), compiled->fortran});
  }
  return deliver(arguments, std::move(extra), compiled->text);
}

ExitStatus compile_logged(const Arguments& arguments) {
  const bool stage = !arguments.emit.empty() && !emit::target_called(arguments.emit);
  if (const auto wrong = misuse(arguments, stage)) return report(*wrong);
  const auto target = stage ? Result<const TargetInfo*>(nullptr) : pick_target(arguments);
  if (!target.ok()) return report(target.failure());
  if (!stage && target.value()->header_ending.empty() &&
      (arguments.header || arguments.main || arguments.boxes)) {
    return usage("U010",
                 "OpenCL C has no host part: --main, --boxes and --header need another target");
  }
  if (!stage && arguments.compile && target.value()->target != emit::Target::Cuda) {
    return usage("U010", "--compile uses NVRTC, which only compiles CUDA");
  }
  const std::string family = arguments.device.substr(0, arguments.device.find(':'));
  if (arguments.device != "auto" && !arguments.measure &&
      (stage || target.value()->target != emit::Target::OpenCl || family != "opencl")) {
    return usage("U010",
                 "--device is only for OpenCL C output (.cl) and must name an OpenCL device");
  }
  const std::string header = stage ? "" : header_path(arguments, *target.value());
  if (const auto wrong = collision(arguments, header)) return report(*wrong);
  if (const auto wrong = unspeakable(header)) return report(*wrong);
  const auto source = read_program(arguments);
  if (!source.ok()) return report(source.failure());
  if (stage) return emit_stage(arguments, source.value());
  return emit_target(arguments, source.value(), *target.value(), header);
}

}  // namespace

int compile_command(const Arguments& arguments) {
  PassLog log(arguments.print_after);
  const bool logged = arguments.time_passes || !arguments.print_after.empty();
  std::optional<PassLog::Scope> scope;
  if (logged) scope.emplace(log);
  const int status = compile_logged(arguments);
  if (!logged) return status;
  std::fputs(log.texts().c_str(), stderr);
  if (arguments.time_passes) std::fputs(log.times().c_str(), stderr);
  const std::vector<std::string> unknown = log.unknown();
  if (status != kSuccess || unknown.empty()) return status;
  return usage("U004", fmt::format("no pass '{}' has run", unknown.front()),
               fmt::format("passes of this compilation: {}", fmt::join(log.names(), ", ")));
}

}  // namespace stencil::tool
