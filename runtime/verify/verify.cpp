// Compares every device x schedule x size x steps with the interpreter, from random initial data.
//
// Each schedule's kernels are compiled twice per device: once with open sizes, for all sizes, and
// once with the folded values of one size, which varies between schedules. That covers both
// compiler paths with two compilations instead of one per size. Compilation takes most of the time,
// so it runs ahead in other threads while this thread compares results.
//
// The reference results depend only on size and steps; they are computed once and shared.
#include "runtime/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "compiler/kernel/passes.h"
#include "compiler/reference/interpreter.h"
#include "compiler/reference/points.h"
#include "compiler/support/try.h"
#include "compiler/support/workers.h"
#include "runtime/devices/device_table.h"
#include "runtime/verify/verify_cases.h"

namespace stencil::runtime {

bool VerifyReport::all_same() const {
  return std::none_of(rows.begin(), rows.end(), [](const VerifyRow& row) {
    return row.verdict == VerifyRow::Verdict::Different;
  });
}

bool VerifyReport::device_failed() const {
  return std::any_of(rows.begin(), rows.end(), [](const VerifyRow& row) {
    return row.verdict == VerifyRow::Verdict::Failed;
  });
}

namespace {

using reference::State;

// Reference states of one size: the initial data, and the state after each step count.
struct ReferenceRuns {
  State initial;
  std::map<int64_t, State> after;
};

// Kernels for one schedule and the sizes at which to run them.
struct Build {
  const ir::Program* program;
  bool open;
  std::vector<size_t> sizes;
  std::shared_ptr<const kernel::Module> module;  // null: `problem` says why
  std::string problem;
  std::future<Result<std::unique_ptr<LoadedProgram>>> loaded;
};

struct RowPlan {
  ChosenDevice device;
  const ScheduleCase* schedule;
  std::vector<Build> builds;
};

class Verifier {
 public:
  Verifier(const VerifyRequest& request, SizeCases sizes, std::vector<ScheduleCase> schedules,
           std::vector<ChosenDevice> devices)
      : request_(request),
        sizes_(std::move(sizes)),
        schedules_(std::move(schedules)),
        devices_(std::move(devices)),
        runs_(sizes_.closed.size()) {}

  VerifyReport verify(std::vector<std::string> absent, const VerifyProgress& progress);

 private:
  void plan_rows();
  void prefetch(size_t row);
  VerifyRow verify_row(RowPlan& plan);
  void verify_build(const RowPlan& plan, Build& build, VerifyRow& row, int& runs);
  bool verify_run(const RowPlan& plan, const Build& build, const LoadedProgram& loaded, size_t size,
                  int64_t steps, VerifyRow& row);
  std::vector<int64_t> steps_of(const ScheduleCase& schedule) const;
  ReferenceRuns& reference_runs(size_t size);
  const State& reference_after(size_t size, int64_t steps);
  Tolerance tolerance(const ChosenDevice& device, int64_t steps) const;

  const VerifyRequest& request_;
  SizeCases sizes_;
  std::vector<ScheduleCase> schedules_;
  std::vector<ChosenDevice> devices_;
  std::vector<std::optional<ReferenceRuns>> runs_;
  std::vector<RowPlan> rows_;
  Workers workers_;  // last member, so that the threads end first
};

// --- The reference

ReferenceRuns& Verifier::reference_runs(size_t size) {
  if (runs_[size]) return *runs_[size];
  const SizeCase& at = sizes_.closed[size];
  std::string error;
  auto state = reference::allocate(at.program, at.params.integers, at.params.reals, error);
  if (!state) throw std::bad_alloc();  // choose_sizes chose small sizes that pass all checks
  // The last size uses the program's own initial values, if any.
  const bool own = size + 1 == sizes_.closed.size() && !at.program.inits.empty();
  if (own) {
    reference::initialise(at.program, *state);
  } else {
    const bool positive = size % 2 == 0 || request_.options.fp == FpMode::Fast;
    fill_randomly(*state, request_.seed + size, positive);
  }
  // The program's points may be meant for other sizes.
  if (!own || reference::misplaced_points(at.program, *state)) {
    reference::spread_points(at.program, *state);
  }
  runs_[size] = ReferenceRuns{std::move(*state), {}};
  return *runs_[size];
}

const State& Verifier::reference_after(size_t size, int64_t steps) {
  ReferenceRuns& runs = reference_runs(size);
  const auto known = runs.after.find(steps);
  if (known != runs.after.end()) return known->second;
  // Continues from the latest earlier state.
  const auto later = runs.after.upper_bound(steps);
  State state = later == runs.after.begin() ? runs.initial : std::prev(later)->second;
  reference::advance(sizes_.closed[size].reference, state, steps - state.step);
  return runs.after.emplace(steps, std::move(state)).first->second;
}

// Results must have the same bits unless a maths library or --fp=fast may change them. In that case
// 1024 units per step are permitted (Tolerance::units), relative to the largest value of a
// component.
Tolerance Verifier::tolerance(const ChosenDevice& device, int64_t steps) const {
  const bool library = device.info.name != "host" && uses_transcendentals(sizes_.closed[0].program);
  const bool loose = library || request_.options.fp == FpMode::Fast;
  return {loose ? 1024.0 * static_cast<double>(steps + 1) : 0};
}

// --- The plan

std::vector<int64_t> Verifier::steps_of(const ScheduleCase& schedule) const {
  if (request_.options.steps) return {*request_.options.steps};
  return choose_steps(sizes_.closed[0].program, schedule.schedule->time_tile, request_.quick);
}

void Verifier::plan_rows() {
  std::vector<size_t> all(sizes_.closed.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (const ChosenDevice& device : devices_) {
    for (size_t s = 0; s < schedules_.size(); ++s) {
      if (schedules_[s].on_cpu && !device.device.machine.threads_are_loops) continue;
      RowPlan& row = rows_.emplace_back(RowPlan{device, &schedules_[s], {}});
      if (!schedules_[s].schedule) continue;
      if (sizes_.open) row.builds.push_back({&*sizes_.open, true, all, {}, "", {}});
      const size_t fixed = sizes_.open ? 1 : std::min<size_t>(all.size(), 3);
      for (size_t i = 0; i < fixed; ++i) {
        const size_t size = (s + i) % all.size();
        row.builds.push_back({&sizes_.closed[size].program, false, {size}, {}, "", {}});
      }
    }
  }
}

// Lowers the kernels of a row and starts compiling them.
void Verifier::prefetch(size_t index) {
  RowPlan& row = rows_[index];
  for (Build& build : row.builds) {
    Diagnostics diagnostics;
    auto module = schedule::lower(*build.program, *row.schedule->schedule, diagnostics,
                                  row.device.device.machine);
    if (!module) {
      build.problem = "refused: " + diagnostics.items().front().message;
      continue;
    }
    const auto unsound = kernel::verify(*module);
    if (!unsound.empty()) build.problem = "internal error: unsound kernel: " + unsound.front();
    build.module = std::make_shared<kernel::Module>(std::move(*module));
    if (!build.problem.empty()) continue;
    build.loaded = workers_.start([&build, &row] {
      return row.device.device.load({*build.program, build.module.get()}, row.device.selector);
    });
  }
}

// --- The runs

// Splits the steps into two calls of advance() if possible, to test a session's second call.
Status run_to(const LoadedProgram& loaded, State& state, int64_t steps, int64_t time_tile) {
  auto session = TRY(loaded.start(state));
  const int64_t first = steps > time_tile ? time_tile : steps;
  for (const int64_t part : {first, steps - first}) {
    TRY(session->advance(part));
  }
  return session->finish();
}

// Binds the params of a program with open sizes to those of a case, by name. The open program may
// have additional params that derive from the sizes. R050, R051.
Status bind_open(const ir::Program& open, const SizeCase& at, State& state) {
  std::map<std::string, std::string> values;
  for (size_t p = 0; p < at.program.params.size(); ++p) {
    const ir::Param& param = at.program.params[p];
    if (param.derived) continue;
    values[param.name] = is_float(param.type) ? fmt::format("{}", at.params.reals[p])
                                              : std::to_string(at.params.integers[p]);
  }
  auto params = TRY(bind_params(open, values));
  state.integer_params = std::move(params.integers);
  state.real_params = std::move(params.reals);
  return Done{};
}

// Whether the result equals the reference; if not, `row` describes the difference.
bool Verifier::verify_run(const RowPlan& plan, const Build& build, const LoadedProgram& loaded,
                          size_t size, int64_t steps, VerifyRow& row) {
  const SizeCase& at = sizes_.closed[size];
  State state = reference_runs(size).initial;
  const std::string place = fmt::format("{}{}, {} step{}", at.label, build.open ? " (open)" : "",
                                        steps, steps == 1 ? "" : "s");
  Status ran = build.open ? bind_open(*build.program, at, state) : Status(Done{});
  if (ran.ok()) ran = run_to(loaded, state, steps, plan.schedule->schedule->time_tile);
  if (!ran.ok()) {
    row.verdict = VerifyRow::Verdict::Failed;
    row.result =
        fmt::format("failed at {}: {} {}", place, ran.failure().code, ran.failure().message);
    return false;
  }
  const auto difference =
      compare(at.program, reference_after(size, steps), state, tolerance(plan.device, steps));
  if (!difference) return true;
  row.verdict = VerifyRow::Verdict::Different;
  row.result = fmt::format("DIFFERS at {}: {} value{}, the first is {}: expected {}, found {}",
                           place, difference->count, difference->count == 1 ? "" : "s",
                           difference->where, difference->expected, difference->actual);
  return false;
}

void Verifier::verify_build(const RowPlan& plan, Build& build, VerifyRow& row, int& runs) {
  if (!build.problem.empty()) {
    row.verdict = build.module ? VerifyRow::Verdict::Failed : VerifyRow::Verdict::Refused;
    row.result = build.problem;
    return;
  }
  const auto loaded = build.loaded.get();
  if (!loaded.ok()) {
    const bool limit = loaded.failure().code == "R043";  // the device is too small for the schedule
    row.verdict = limit ? VerifyRow::Verdict::Refused : VerifyRow::Verdict::Failed;
    row.result = (limit ? "refused: " : loaded.failure().code + " ") + loaded.failure().message;
    return;
  }
  for (const size_t size : build.sizes) {
    for (const int64_t steps : steps_of(*plan.schedule)) {
      if (!verify_run(plan, build, *loaded.value(), size, steps, row)) return;
      ++runs;
    }
  }
}

VerifyRow Verifier::verify_row(RowPlan& plan) {
  VerifyRow row;
  row.device = plan.device.info.name;
  row.schedule = plan.schedule->line;
  row.brief = plan.schedule->brief;
  if (!plan.schedule->schedule) {
    row.verdict = VerifyRow::Verdict::Refused;
    row.result = "refused: " + plan.schedule->refusal;
    return row;
  }
  row.steps = fmt::format("{}", fmt::join(steps_of(*plan.schedule), " "));
  size_t open = 0, fixed = 0;
  for (const Build& build : plan.builds) (build.open ? open : fixed) += build.sizes.size();
  row.sizes = open ? fmt::format("{} open, {} fixed", open, fixed) : fmt::format("{} fixed", fixed);
  int runs = 0;
  for (Build& build : plan.builds) {
    verify_build(plan, build, row, runs);
    if (row.verdict != VerifyRow::Verdict::Same) return row;
  }
  const double units = tolerance(plan.device, 0).units;
  row.result =
      units == 0
          ? fmt::format("same bits, {} runs", runs)
          : fmt::format("within tolerance, {} runs: at most {} ulp of the largest value per step",
                        runs, units);
  return row;
}

VerifyReport Verifier::verify(std::vector<std::string> absent, const VerifyProgress& progress) {
  VerifyReport report;
  report.absent = std::move(absent);
  for (const SizeCase& size : sizes_.closed) report.sizes.push_back(size.label);
  plan_rows();
  const size_t ahead = static_cast<size_t>(std::max(1, wanted_threads() / 2));
  size_t fetched = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    for (; fetched < std::min(rows_.size(), i + 1 + ahead); ++fetched) prefetch(fetched);
    const std::string what = rows_[i].device.info.name + ", " + rows_[i].schedule->brief;
    if (progress) progress(what, report, static_cast<int>(i), static_cast<int>(rows_.size()));
    report.rows.push_back(verify_row(rows_[i]));
    for (Build& build : rows_[i].builds) {
      if (build.loaded.valid()) build.loaded.wait();  // a thread refers to the build
    }
    rows_[i].builds.clear();
  }
  return report;
}

// All available devices that run kernels, or the requested one.
Result<std::vector<ChosenDevice>> choose_devices(const std::string& name,
                                                 std::vector<std::string>& absent) {
  std::vector<ChosenDevice> out;
  if (name != "auto") {
    auto chosen = TRY(choose_device(name));
    if (!chosen.device.runs_kernels) {
      return Failure{"R045", "the reference interpreter cannot be compared with itself",
                     "name another device, or omit --device"};
    }
    out.push_back(std::move(chosen));
    return out;
  }
  for (const Device& device : device_table()) {
    if (!device.runs_kernels) continue;
    const DeviceInfo info = device.probe("");
    if (info.available) {
      auto chosen = TRY(choose_device(device.name));
      out.push_back(std::move(chosen));
    } else {
      absent.push_back(info.name + ": " + info.reason);
    }
  }
  return out;
}

}  // namespace

Result<VerifyReport> verify(const ast::Program& tree, const Source& source,
                            const VerifyRequest& request, Diagnostics& diagnostics,
                            const VerifyProgress& progress) {
  const auto program = analyze(tree, source, request.options, diagnostics);
  if (!program) return Failure{"", "the program has errors", ""};
  std::vector<std::string> absent;
  auto devices = TRY(choose_devices(request.device, absent));
  auto cases = choose_schedules(*program, request.schedule, request.quick, diagnostics);
  if (diagnostics.has_errors()) return Failure{"", "the schedule is invalid", ""};
  std::vector<schedule::Schedule> schedules;
  for (const ScheduleCase& each : cases) {
    if (each.schedule) schedules.push_back(*each.schedule);
  }
  SizeCases sizes = choose_sizes(tree, source, request.options, schedules, request.quick);
  if (sizes.closed.empty()) {
    return Failure{"R054", "no size was found at which the program is valid",
                   "give params a value with -D"};
  }
  Verifier verifier(request, std::move(sizes), std::move(cases), std::move(devices));
  return verifier.verify(std::move(absent), progress);
}

}  // namespace stencil::runtime
