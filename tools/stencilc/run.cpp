// `stencilc run`: from initial values to output files on a device of this machine.
#include "runtime/run.h"

#include <fmt/format.h>

#include "compiler/driver/frontend.h"
#include "runtime/checkpoint.h"
#include "runtime/outputs.h"
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
                    int64_t first, int64_t wanted) {
  std::string out = fmt::format("device    {}: {}\n", prepared.device.info.name,
                                prepared.device.info.description);
  if (prepared.schedule) {
    out += fmt::format("schedule  {}\n", schedule::print(*prepared.schedule, program.grid.rank()));
  }
  out += fmt::format("steps     {}", run.steps);
  if (run.stopped || run.interrupted) out += fmt::format(" of {}", wanted);
  if (first > 0) out += fmt::format(", after {} of the checkpoint", first);
  if (run.stopped) out += ": the stop condition holds";
  if (run.interrupted) out += fmt::format(": interrupted at step {}", first + run.steps);
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

// What the run does besides stepping: series, final outputs, checkpoints. The files at the start of
// a series are written here.
Result<std::vector<runtime::Event>> events_of(const Arguments& arguments,
                                              const ir::Program& program,
                                              const reference::State& state,
                                              const std::vector<runtime::Output>& outputs,
                                              std::optional<runtime::Series>& series,
                                              int64_t last_step) {
  std::vector<runtime::Event> events;
  if (arguments.every > 0) {
    series.emplace(program, outputs, arguments.every, state.step, last_step);
    const runtime::Status begun = state.step == 0 ? series->write(state) : runtime::Done{};
    if (!begun.ok()) return begun.failure();
    events.push_back(series->event());
  }
  events.push_back(runtime::output_event(program, outputs));
  if (!arguments.checkpoint.empty()) {
    events.push_back(runtime::checkpoint_event(
        arguments.checkpoint, program, arguments.checkpoint_steps, arguments.checkpoint_seconds));
  }
  return events;
}

Result<RunReport> run_with_progress(const ir::Program& program, const Prepared& prepared,
                                    reference::State& state, int64_t steps,
                                    const std::vector<runtime::Event>& events) {
  ProgressLine line;
  const auto progress = [&](const runtime::Progress& now) {
    line.show(now.elapsed, describe(now, line.width()));
    return !InterruptGuard::interrupted();
  };
  return runtime::execute(program, prepared, state, steps, progress, events);
}

// The state at which the run begins, with its fields from --in or --restart.
Result<reference::State> first_state(const ir::Program& program, const Arguments& arguments,
                                     const runtime::Params& params, Diagnostics& diagnostics) {
  auto state = runtime::prepare_state(program, params, diagnostics);
  if (!state.ok()) return state.failure();
  const runtime::Status read =
      arguments.restart.empty()
          ? read_inputs(program, arguments, state.value())
          : runtime::read_checkpoint(arguments.restart, program, state.value());
  if (!read.ok()) return read.failure();
  return state;
}

int finish(const Arguments& arguments, const ir::Program& program, const std::string& summary,
           const reference::State& state, const RunReport& run) {
  std::string text = summary + reductions(program, state);
  if (!arguments.checkpoint.empty()) {
    text += fmt::format("saved     step {} in {}\n", state.step, arguments.checkpoint);
  }
  if (arguments.stats) text += "\n" + runtime::print_statistics(program, state);
  if (const ExitStatus printed = print_out(text)) return printed;
  return run.interrupted ? interrupted_by(InterruptGuard::signal_number()) : kSuccess;
}

}  // namespace

int run_command(const Arguments& arguments) {
  const auto source = read_source(arguments);
  if (!source.ok()) return tool::report(source.failure());
  ProgramOptions options = program_options(arguments);
  // A param that --open keeps open gets its value at run time, as in the emitted code.
  for (const std::string& name : arguments.open) options.definitions.erase(name);
  Diagnostics diagnostics;
  const auto fail = [&](const runtime::Failure& failure) {
    return report(source.value(), diagnostics, failure);
  };
  const auto program = load_program(source.value(), options, diagnostics);
  if (!program) return tool::report(source.value(), diagnostics);
  const runtime::Status transfers = check_transfers(*program, arguments);
  if (!transfers.ok()) return fail(transfers.failure());
  auto outputs = find_outputs(*program, arguments);
  if (!outputs.ok()) return fail(outputs.failure());
  const auto params = runtime::bind_params(*program, arguments.definitions);
  if (!params.ok()) return fail(params.failure());
  const auto last = runtime::steps_of(*program, params.value());
  if (!last.ok()) return fail(last.failure());
  auto state = first_state(*program, arguments, params.value(), diagnostics);
  if (!state.ok()) return fail(state.failure());
  const int64_t first = state.value().step;
  const auto steps = runtime::steps_left(last.value(), state.value());
  if (!steps.ok()) return fail(steps.failure());
  const runtime::Status placed = place_planes(*program, arguments, state.value(), outputs.value());
  if (!placed.ok()) return fail(placed.failure());

  const InterruptGuard guard;  // from here on, so that Ctrl-C leaves no temporary files behind
  const auto prepared =
      runtime::prepare(*program, arguments.device, arguments.schedule, diagnostics);
  if (!prepared.ok()) return fail(prepared.failure());
  tool::report(source.value(), diagnostics);  // warnings
  const runtime::Status saved = save_code(arguments, *prepared.value().loaded);
  if (!saved.ok()) return tool::report(saved.failure());
  std::optional<runtime::Series> series;
  const auto events =
      events_of(arguments, *program, state.value(), outputs.value(), series, last.value());
  if (!events.ok()) return tool::report(events.failure());
  const auto run =
      run_with_progress(*program, prepared.value(), state.value(), steps.value(), events.value());
  if (!run.ok()) return tool::report(run.failure());
  return finish(arguments, *program,
                summary(*program, prepared.value(), run.value(), first, steps.value()),
                state.value(), run.value());
}

}  // namespace stencil::tool
