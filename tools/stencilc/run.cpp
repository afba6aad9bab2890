// `stencilc run`: from initial values to output files on a device of this machine. A program like
// any other that uses the library: what is here is arguments, messages, signals and statuses.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "stencil/stencil.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/progress.h"
#include "tools/stencilc/save_code.h"
#include "tools/stencilc/summary.h"
#include "tools/stencilc/transfer.h"

namespace stencil::tool {

namespace {

// A param that --open keeps open gets its value at run time, as in the emitted code.
struct Given {
  Options options;
  ParamValues values;  // at run time
};
Given given_by(const Arguments& arguments) {
  Given given{arguments.program, {}};
  for (const std::string& name : arguments.program.open) {
    const auto value = given.options.definitions.find(name);
    if (value != given.options.definitions.end()) {
      given.values.insert(given.options.definitions.extract(value));
    }
  }
  return given;
}

// The state at which the run begins, with its fields from --in or --restart.
Result<State> first_state(const Program& program, const Arguments& arguments,
                          const ParamValues& values) {
  auto state = program.initial_state(values);
  if (!state.ok()) return state;
  const Status read = arguments.restart.empty() ? read_inputs(arguments, state.value())
                                                : state.value().load_checkpoint(arguments.restart);
  if (!read.ok()) return read.failure();
  return state;
}

Result<Report> run_with_progress(Simulation& simulation, const RunFiles& files, OnNan on_nan) {
  ProgressLine line;
  const auto show = [&](const Progress& now) {
    line.show(now.elapsed, describe(now, line.width()));
    return !InterruptGuard::interrupted();
  };
  return simulation.run(files, show, on_nan);
}

// Warnings of values that are NaN or infinite: in what was written, and with --stats in any field.
Status warn_of_non_finite(const Arguments& arguments, Simulation& simulation,
                          const Report& report) {
  std::vector<NonFinite> found = report.non_finite;
  if (arguments.stats) {
    const auto all = simulation.non_finite();
    if (!all.ok()) return all.failure();
    for (const NonFinite& other : all.value()) {
      const bool there = std::any_of(found.begin(), found.end(), [&](const NonFinite& one) {
        return one.field == other.field;
      });
      if (!there) found.push_back(other);
    }
  }
  for (const NonFinite& values : found) warn({"R081", describe(values, simulation.step()), ""});
  return Done{};
}

// What is printed when the run has ended.
Result<std::string> closing_text(const Arguments& arguments, const Kernel& kernel,
                                 Simulation& simulation, const Report& report, int64_t first,
                                 int64_t wanted) {
  auto text = summary(kernel, simulation, report, first, wanted, arguments.full);
  if (!text.ok()) return text;
  std::string out = std::move(text).value();
  if (!arguments.checkpoint.empty()) {
    out += wrapped(fmt::format("step {} in {}", simulation.step(), arguments.checkpoint),
                   "saved     ");
  }
  if (!arguments.stats) return out;
  const auto table = statistics(simulation);
  if (!table.ok()) return table;
  return out + "\n" + table.value();
}

}  // namespace

int run_command(const Arguments& arguments) {
  const Given given = given_by(arguments);
  std::optional<Activity> activity(std::in_place);
  activity->now("reading " + arguments.file);
  const auto source = text_of_program(arguments);
  if (!source.ok()) return report(source.failure());
  const auto program = Program::from_text(source.value(), given.options, arguments.file);
  if (!program.ok()) {
    activity.reset();
    return report(program.failure());
  }
  const auto print_warnings = [&] {
    activity.reset();  // its line
    std::fputs(program.value().warnings().c_str(), stderr);
  };
  const auto fail = [&](const Failure& failure) {
    print_warnings();
    return report(failure);
  };
  const Status inputs = check_inputs(program.value(), arguments);
  if (!inputs.ok()) return fail(inputs.failure());
  const auto files = find_files(program.value(), arguments);
  if (!files.ok()) return fail(files.failure());
  const auto last = program.value().steps(given.values);
  if (!last.ok()) return fail(last.failure());
  activity->now("computing initial values of " + program.value().name());
  auto state = first_state(program.value(), arguments, given.values);
  if (!state.ok()) return fail(state.failure());
  const int64_t first = state.value().step();
  const auto steps = state.value().steps_left();
  if (!steps.ok()) return fail(steps.failure());
  const Status placed = state.value().check(files.value());
  if (!placed.ok()) return fail(placed.failure());

  InterruptGuard guard;  // from here on, so that Ctrl-C leaves no temporary files behind
  const auto kernel =
      program.value().compile({.device = arguments.device,
                               .schedule = arguments.schedule,
                               .stage = [&](const auto& what) { activity->now(what); },
                               .steps = steps.value(),
                               .parts = arguments.gpus,
                               .exchange = arguments.exchange});
  if (!kernel.ok()) return fail(kernel.failure());
  print_warnings();
  warn_of_cache();
  warn_of_database();
  for (const Failure& warning : state.value().warnings()) warn(warning);
  const Status saved = save_code(arguments, kernel.value());
  if (!saved.ok()) return report(saved.failure());
  auto simulation = kernel.value().start(std::move(state).value());
  if (!simulation.ok()) return report(simulation.failure());
  const OnNan on_nan = arguments.on_nan == "stop" ? OnNan::Stop : OnNan::Continue;
  guard.note_first();
  const auto run = run_with_progress(simulation.value(), files.value(), on_nan);
  if (!run.ok()) return report(run.failure());
  const auto text = closing_text(arguments, kernel.value(), simulation.value(), run.value(), first,
                                 steps.value());
  if (!text.ok()) return report(text.failure());
  if (const ExitStatus printed = print_out(text.value())) return printed;
  const Status warned = warn_of_non_finite(arguments, simulation.value(), run.value());
  if (!warned.ok()) return report(warned.failure());
  if (run.value().nan) return report(*run.value().nan);
  return run.value().interrupted ? interrupted_by(InterruptGuard::signal_number()) : kSuccess;
}

}  // namespace stencil::tool
