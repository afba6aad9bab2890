// `stencilc run`: from initial values to output files on a device of this machine.
#include "runtime/run.h"

#include <fmt/format.h>

#include "compiler/driver/frontend.h"
#include "runtime/stats.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/progress.h"
#include "tools/stencilc/save_code.h"
#include "tools/stencilc/transfer.h"

namespace stencil::tool {

namespace {

using runtime::Prepared;
using runtime::Result;
using runtime::RunReport;

// A failure without a code only says that the diagnostics say it all.
ExitStatus report(const Source& source, const Diagnostics& diagnostics,
                  const runtime::Failure& failure) {
  const ExitStatus status = tool::report(source, diagnostics);
  return failure.code.empty() ? status : tool::report(failure);
}

std::string summary(const ir::Program& program, const Prepared& prepared, const RunReport& run,
                    int64_t wanted) {
  std::string out = fmt::format("device    {}: {}\n", prepared.device.info.name,
                                prepared.device.info.description);
  if (prepared.schedule) {
    out += fmt::format("schedule  {}\n", schedule::print(*prepared.schedule, program.grid.rank()));
  }
  out += fmt::format("steps     {}", run.steps);
  if (run.stopped) out += fmt::format(" of {}: the stop condition holds", wanted);
  if (run.interrupted) out += fmt::format(" of {}: interrupted", wanted);
  out +=
      fmt::format("\ntime      {:.3f} s, {:.4g} GCells/s\n", run.seconds, run.gcells_per_second());
  return out;
}

std::string reductions(const ir::Program& program, const reference::State& state) {
  std::string out;
  for (size_t r = 0; r < program.reductions.size(); ++r) {
    const auto& value = state.reductions[r];
    const std::string text = value.evaluations == 0 ? "not evaluated yet"
                             : is_float(value.type) ? fmt::format("{:.9g}", value.real)
                                                    : fmt::format("{}", value.integer);
    out += fmt::format("reduce    {} = {}\n", program.reductions[r].name, text);
  }
  return out;
}

Result<RunReport> run_with_progress(const ir::Program& program, const Prepared& prepared,
                                    reference::State& state, int64_t steps) {
  ProgressLine line;
  return runtime::execute(program, prepared, state, steps, [&](const runtime::Progress& progress) {
    line.show(progress.seconds, describe(progress));
    return !InterruptGuard::interrupted();
  });
}

int finish(const Arguments& arguments, const ir::Program& program, const Prepared& prepared,
           const reference::State& state, const RunReport& run, int64_t wanted) {
  const auto files = format_outputs(program, arguments, state);
  if (!files.ok()) return tool::report(files.failure());
  const runtime::Status written = write_files(files.value());
  if (!written.ok()) return tool::report(written.failure());
  std::string text = summary(program, prepared, run, wanted) + reductions(program, state);
  if (arguments.stats) text += "\n" + runtime::print_statistics(program, state);
  return print_out(text);
}

}  // namespace

int run_command(const Arguments& arguments) {
  const auto source = read_source(arguments);
  if (!source.ok()) return tool::report(source.failure());
  ProgramOptions options = program_options(arguments);
  // A param that --open keeps open gets its value at run time, as in the emitted code.
  for (const std::string& name : arguments.open) options.definitions.erase(name);
  Diagnostics diagnostics;
  const auto program = load_program(source.value(), options, diagnostics);
  if (!program) return tool::report(source.value(), diagnostics);
  const runtime::Status transfers = check_transfers(*program, arguments);
  if (!transfers.ok()) return report(source.value(), diagnostics, transfers.failure());
  const auto params = runtime::bind_params(*program, arguments.definitions);
  if (!params.ok()) return report(source.value(), diagnostics, params.failure());
  const auto steps = runtime::steps_of(*program, params.value());
  if (!steps.ok()) return report(source.value(), diagnostics, steps.failure());
  auto state = runtime::prepare_state(*program, params.value(), diagnostics);
  if (!state.ok()) return report(source.value(), diagnostics, state.failure());
  const runtime::Status read = read_inputs(*program, arguments, state.value());
  if (!read.ok()) return report(source.value(), diagnostics, read.failure());

  const InterruptGuard guard;  // from here on, so that Ctrl-C leaves no temporary files behind
  const auto prepared =
      runtime::prepare(*program, arguments.device, arguments.schedule, diagnostics);
  if (!prepared.ok()) return report(source.value(), diagnostics, prepared.failure());
  tool::report(source.value(), diagnostics);  // warnings
  const runtime::Status saved = save_code(arguments, *prepared.value().loaded);
  if (!saved.ok()) return tool::report(saved.failure());
  const auto run = run_with_progress(*program, prepared.value(), state.value(), steps.value());
  if (!run.ok()) return tool::report(run.failure());
  return finish(arguments, *program, prepared.value(), state.value(), run.value(), steps.value());
}

}  // namespace stencil::tool
