// `stencilc run`: from initial values to output files on a device of this machine. It is an
// ordinary client of the library and only handles arguments, messages, signals and exit statuses.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

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

// Params left open by --open get their values at run time, as in emitted code.
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

// The initial state of the run, with fields from --in or --restart.
Result<State> first_state(const Program& program, const Arguments& arguments,
                          const ParamValues& values) {
  auto state = program.initial_state(values);
  if (!state.ok()) return state;
  STENCIL_TRY(arguments.restart.empty() ? read_inputs(arguments, state.value())
                                        : state.value().load_checkpoint(arguments.restart));
  return state;
}

// Until the first steps are done, a signal ends the process at once: there is nothing to save, and
// some devices compile a kernel at its first launch, which may take minutes.
Result<Report> run_with_progress(const Kernel& kernel, Simulation& simulation,
                                 const RunFiles& files, OnNan on_nan, InterruptGuard& guard) {
  ProgressLine line;
  const auto show = [&](const Progress& now) {
    guard.note_first();
    const auto race = kernel.race();
    line.show(now.elapsed, describe(now, line.width(), race ? race->brief : ""));
    return !InterruptGuard::interrupted();
  };
  return simulation.run(files, show, on_nan);
}

bool are_of_one_field(const NonFinite& one, const NonFinite& other) {
  return one.field == other.field;
}

// Values to report as NaN or infinite: those in output files, and with --stats those in any field.
Result<std::vector<NonFinite>> non_finite_shown(const Arguments& arguments, Simulation& simulation,
                                                const Report& report) {
  std::vector<NonFinite> found = report.non_finite;
  if (!arguments.stats) return found;
  const auto all = STENCIL_TRY(simulation.non_finite());
  for (const NonFinite& other : all) {
    const bool there = std::any_of(found.begin(), found.end(), [&](const NonFinite& one) {
      return are_of_one_field(one, other);
    });
    if (!there) found.push_back(other);
  }
  return found;
}

// The first field that became NaN or infinite; null if all fields stayed finite. If the field is in
// output files, the entry describes the values there.
const NonFinite* field_to_tell(const Report& report) {
  if (report.became_non_finite.empty()) return nullptr;
  const NonFinite& first = report.became_non_finite.front();
  for (const NonFinite& written : report.non_finite) {
    if (written.field == first.field) return &written;
  }
  return &first;
}

Failure became_non_finite(const Report& report, const NonFinite& told) {
  std::string text = describe(told);
  const auto& all = report.became_non_finite;
  const size_t others = all.size() - 1;
  if (others > 0) {
    const bool fields = std::all_of(all.begin() + 1, all.end(),
                                    [](const NonFinite& other) { return !other.first.empty(); });
    text += fmt::format("; {} other {}{} such values", others, fields ? "field" : "result",
                        others == 1 ? " has" : "s have");
  }
  return {"R083", text + "; the initial values had none",
          "a smaller time step keeps many schemes stable; --on-nan continue makes this a warning"};
}

// The output at the end of a run.
Result<std::string> closing_text(const Arguments& arguments, const RunFiles& files,
                                 const Kernel& kernel, Simulation& simulation, const Report& report,
                                 int64_t first, int64_t wanted) {
  auto text = STENCIL_TRY(summary(kernel, simulation, report, first, wanted, arguments.full));
  std::string out = std::move(text);
  const std::vector<std::string> written = files_written(kernel.program(), files, arguments.code);
  if (!written.empty()) out += wrapped(fmt::format("{}", fmt::join(written, ", ")), "wrote     ");
  if (!arguments.checkpoint.empty()) {
    out += wrapped(fmt::format("step {} in {}", simulation.step(), arguments.checkpoint),
                   "saved     ");
  }
  if (!arguments.stats) return out;
  const auto table = STENCIL_TRY(statistics(simulation));
  return out + "\n" + table;
}

// Everything needed before kernels are compiled; on failure, later members are not set.
struct Ready {
  std::optional<Program> program;
  RunFiles files;
  std::optional<State> state;
  int64_t first = 0, steps = 0;
};

// `serves`: a serving rank only needs the program.
Status make_ready(const Arguments& arguments, bool serves, Activity& activity, Ready& out) {
  const Given given = given_by(arguments);
  activity.now("reading " + arguments.file);
  const auto source = STENCIL_TRY(text_of_program(arguments));
  auto program = STENCIL_TRY(Program::from_text(source, given.options, arguments.file));
  out.program = std::move(program);
  if (serves) return Done{};
  const Status inputs = check_inputs(*out.program, arguments);
  if (!inputs.ok()) return inputs;
  auto files = STENCIL_TRY(find_files(*out.program, arguments));
  out.files = std::move(files);
  STENCIL_TRY(out.program->steps(given.values));
  activity.now("reading the inputs of " + out.program->name());
  auto state = STENCIL_TRY(first_state(*out.program, arguments, given.values));
  STENCIL_TRY(state.check_inputs());
  out.first = state.step();
  const auto steps = STENCIL_TRY(state.steps_left());
  out.steps = steps;
  STENCIL_TRY(state.check(out.files));
  out.state = std::move(state);
  return Done{};
}

// The MPI ranks of this process; a single rank without MPI.
Result<Ranks> find_ranks(const Arguments& arguments) {
  const bool several = started_by_mpi();
  if (several && !arguments.gpus.empty()) {
    return Failure{"R095", "--gpus is for a run of one process, but MPI started several",
                   "choose the cuts with --ranks 2x2"};
  }
  if (several) return join_ranks();
  const bool one = arguments.ranks.find_first_not_of("1x") == std::string::npos;
  if (one) return Ranks{};
  return Failure{"R092", "--ranks needs processes that mpirun starts",
                 "use mpirun -n 4 stencilc run ..., or --gpus for several GPUs of one process"};
}

// `used` becomes the kernel of the run.
int run(const Arguments& arguments, std::optional<Kernel>& used) {
  const auto ranks = find_ranks(arguments);
  if (!ranks.ok()) return report(ranks.failure());
  const bool serves = ranks.value().rank > 0;
  const bool together = ranks.value().size > 1;
  std::optional<Activity> activity(std::in_place);
  Ready ready;
  const auto print_warnings = [&] {
    activity.reset();  // erases its line
    if (ready.program && !serves) std::fputs(ready.program->warnings().c_str(), stderr);
  };
  // Rank 0 reports errors of all ranks.
  const auto fail = [&](const Failure& failure) -> int {
    print_warnings();
    return serves ? status_of(failure.code) : report(failure);
  };
  const Status made = agree(make_ready(arguments, serves, *activity, ready));
  if (!made.ok()) return fail(made.failure());

  InterruptGuard guard;  // from here on, Ctrl-C leaves no temporary files
  const auto kernel =
      ready.program->compile({.device = arguments.device,
                              .schedule = arguments.schedule,
                              .stage = [&](const auto& what) { activity->now(what); },
                              .steps = ready.steps,
                              .parts = together ? arguments.ranks : arguments.gpus,
                              .ranks = together,
                              .exchange = arguments.exchange});
  if (!kernel.ok()) return fail(kernel.failure());
  used = kernel.value();
  print_warnings();
  // If all ranks get a signal, rank 0 handles it and the others continue until then.
  if (serves) guard.note_first();
  if (serves) return kernel.value().serve().ok() ? kSuccess : kDeviceAtFault;
  warn_of_cache();
  warn_of_database();
  for (const Failure& warning : ready.state->warnings()) warn(warning);
  const Status saved = save_code(arguments, kernel.value());
  if (!saved.ok()) return report(saved.failure());
  activity.emplace();
  activity->now("computing initial values of " + ready.program->name());
  auto simulation = kernel.value().start(std::move(*ready.state));
  activity.reset();
  if (!simulation.ok()) return report(simulation.failure());
  const OnNan on_nan = arguments.on_nan == "stop"       ? OnNan::Stop
                       : arguments.on_nan == "continue" ? OnNan::Continue
                                                        : OnNan::Ignore;
  const auto run =
      run_with_progress(kernel.value(), simulation.value(), ready.files, on_nan, guard);
  if (!run.ok()) return report(run.failure());
  const auto text = closing_text(arguments, ready.files, kernel.value(), simulation.value(),
                                 run.value(), ready.first, ready.steps);
  if (!text.ok()) return report(text.failure());
  if (const ExitStatus printed = print_out(text.value())) return printed;
  const auto shown = non_finite_shown(arguments, simulation.value(), run.value());
  if (!shown.ok()) return report(shown.failure());
  const NonFinite* const told = field_to_tell(run.value());
  const bool ends = told && on_nan == OnNan::Stop && !run.value().nan;
  bool is_told = false;  // a warning has reported it
  for (const NonFinite& values : shown.value()) {
    const bool same = told && are_of_one_field(values, *told);
    is_told = is_told || same;
    if (!ends || !same) warn({"R081", describe(values), ""});
  }
  if (told && (ends || !is_told)) {
    Failure failure = became_non_finite(run.value(), *told);
    if (ends) return report(failure);
    failure.hint.clear();
    warn(failure);
  }
  if (run.value().nan) return report(*run.value().nan);
  return run.value().interrupted ? interrupted_by(InterruptGuard::signal_number()) : kSuccess;
}

}  // namespace

// Schedules that are still being compiled for a race are of no use any more, and the destructor of
// the kernel would wait for them.
int run_command(const Arguments& arguments) {
  std::optional<Kernel> used;
  const int status = run(arguments, used);
  const auto race = used ? used->race() : std::nullopt;
  if (!race || race->over) return status;
  std::fflush(nullptr);
  remove_temporary_files();
  _exit(status);
}

}  // namespace stencil::tool
