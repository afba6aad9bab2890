// Compares every device x schedule x size x steps with the interpreter, from random initial data.
//
// Each schedule's kernels are compiled twice per device: once with open sizes, for all sizes, and
// once with the folded values of one size, which varies between schedules. That covers both
// compiler paths with two compilations instead of one per size. Compilation takes most of the time,
// so it runs ahead in other threads while this thread compares results.
//
// A budget ends the verification between two cases. Compilers cannot be interrupted, so this thread
// waits for them no longer than the budget lasts.
#include "runtime/verify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "compiler/kernel/passes.h"
#include "compiler/support/try.h"
#include "compiler/support/workers.h"
#include "runtime/devices/device_table.h"
#include "runtime/devices/host_device.h"
#include "runtime/verify/reference_runs.h"
#include "runtime/verify/verify_cases.h"
#include "runtime/verify/verify_plan.h"

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
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Loaded {
  Result<std::unique_ptr<LoadedProgram>> program;
  double seconds;  // spent in the device's compiler
};

// Kernels for one schedule and the sizes at which to run them.
struct Build {
  const ir::Program* program;
  bool open;
  std::vector<size_t> sizes;
  bool lowered = false;
  std::shared_ptr<const kernel::Module> module;  // null: `problem` says why
  std::string problem;
  size_t length = 0;  // bytes of source text, to estimate the time of compilation
  std::future<Loaded> compiling;
  std::unique_ptr<LoadedProgram> loaded;
  int64_t left = 0;  // cases to run
  bool has_run = false;
};

struct Row {
  ChosenDevice device;
  const ScheduleCase* schedule;
  std::vector<int64_t> steps;
  std::vector<Build> builds;
  VerifyRow result;
  std::set<size_t> open, fixed;  // sizes that were run
  std::set<int64_t> steps_run;
};

// What cases have cost so far on a device.
struct Costs {
  double compilation = 0, bytes = 0;   // seconds; bytes of source text compiled in them
  double first_run = 0, next_run = 0;  // seconds at most: of the first run of kernels, of others
};

class Verifier {
 public:
  Verifier(const VerifyRequest& request, SizeCases sizes, std::vector<ScheduleCase> schedules,
           std::vector<ChosenDevice> devices, Clock::time_point start)
      : request_(request),
        start_(start),
        sizes_(std::move(sizes)),
        schedules_(std::move(schedules)),
        devices_(std::move(devices)),
        reference_(sizes_.closed, request.seed, request.options.fp == FpMode::Fast) {}

  VerifyReport verify(std::vector<std::string> absent, const VerifyProgress& progress);

 private:
  void plan();
  void plan_builds(Row& row, size_t schedule);
  bool verify_case(const VerifyCase& one, size_t place);
  bool compile_ahead(size_t place);
  void lower(Row& row, Build& build);
  bool start(Row& row, Build& build);
  bool wait_for(Row& row, Build& build, size_t place);
  void keep(Row& row, Build& build);
  void refuse(Row& row, Build& build, const std::string& reason, VerifyRow::Verdict verdict);
  bool verify_run(Row& row, Build& build, const VerifyCase& one);
  void note_run(Row& row, const Build& build, const VerifyCase& one);
  double seconds_left() const;
  double expected_seconds(const Row& row, const VerifyCase& one) const;
  VerifyReport report() const;

  std::vector<int64_t> steps_of(const ScheduleCase& schedule) const;
  Tolerance tolerance(const ChosenDevice& device, int64_t steps) const;

  const VerifyRequest& request_;
  const Clock::time_point start_;
  SizeCases sizes_;
  std::vector<ScheduleCase> schedules_;
  std::vector<ChosenDevice> devices_;
  ReferenceRuns reference_;
  std::vector<Row> rows_;
  std::vector<VerifyCase> cases_;
  std::map<std::string, Costs> costs_;  // by device
  int64_t run_ = 0, refused_ = 0;
  Clock::time_point told_ = {};  // of the last progress
  std::vector<std::string> absent_;
  Workers workers_;  // last member, so that the threads end first
};

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

void Verifier::plan_builds(Row& row, size_t schedule) {
  std::vector<size_t> all(sizes_.closed.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto add = [&](const ir::Program& program, bool open, std::vector<size_t> sizes) {
    Build& build = row.builds.emplace_back();
    build.program = &program;
    build.open = open;
    build.sizes = std::move(sizes);
  };
  if (sizes_.open) add(*sizes_.open, true, all);
  const size_t first = row.schedule->in_use.empty() ? schedule : main_size(reference_.points());
  const size_t fixed = sizes_.open ? 1 : std::min<size_t>(all.size(), 3);
  for (size_t i = 0; i < fixed; ++i) {
    const size_t size = (first + i) % all.size();
    add(sizes_.closed[size].program, false, {size});
  }
}

void Verifier::plan() {
  std::vector<PlannedRow> planned;
  for (const ChosenDevice& device : devices_) {
    for (size_t s = 0; s < schedules_.size(); ++s) {
      const ScheduleCase& schedule = schedules_[s];
      if (schedule.on_cpu && !device.device.machine.threads_are_loops) continue;
      Row& row = rows_.emplace_back();
      row.device = device;
      row.schedule = &schedule;
      row.result.device = device.info.name;
      row.result.schedule = schedule.line;
      row.result.brief = schedule.brief;
      PlannedRow& as_planned = planned.emplace_back();
      as_planned.device = device.info.name;
      if (!schedule.schedule) {
        row.result.verdict = VerifyRow::Verdict::Refused;
        row.result.result = "refused: " + schedule.refusal;
        continue;
      }
      plan_builds(row, s);
      row.steps = steps_of(schedule);
      as_planned.family = schedule.schedule->family;
      as_planned.in_use =
          std::count(schedule.in_use.begin(), schedule.in_use.end(), device.device.name) > 0;
      as_planned.time_tile = schedule.schedule->time_tile;
      as_planned.steps = row.steps;
      for (const Build& build : row.builds) as_planned.builds.push_back({build.open, build.sizes});
    }
  }
  cases_ = plan_cases(planned, reference_.points());
  for (const VerifyCase& one : cases_) {
    ++rows_[one.row].result.planned;
    ++rows_[one.row].builds[one.build].left;
  }
}

// --- Kernels

// Infinite without a budget.
double Verifier::seconds_left() const {
  return request_.budget ? *request_.budget - seconds_since(start_) : HUGE_VAL;
}

// Ends the cases of kernels that cannot be run.
void Verifier::refuse(Row& row, Build& build, const std::string& reason,
                      VerifyRow::Verdict verdict) {
  if (verdict == VerifyRow::Verdict::Refused) refused_ += build.left;
  build.left = 0;
  const bool worse = row.result.verdict < verdict;
  if (!worse) return;
  row.result.verdict = verdict;
  row.result.result = reason;
}

void Verifier::lower(Row& row, Build& build) {
  build.lowered = true;
  Diagnostics diagnostics;
  auto module = schedule::lower(*build.program, *row.schedule->schedule, diagnostics,
                                row.device.device.machine);
  if (!module) {
    build.problem = "refused: " + diagnostics.items().front().message;
    return;
  }
  const auto unsound = kernel::verify(*module);
  if (!unsound.empty()) build.problem = "internal error: unsound kernel: " + unsound.front();
  build.length = host_source(*module).size();
  build.module = std::make_shared<kernel::Module>(std::move(*module));
}

// Starts the compiler; false if it is expected to need more time than is left.
bool Verifier::start(Row& row, Build& build) {
  if (build.compiling.valid() || build.loaded) return true;
  if (!build.lowered) lower(row, build);
  if (!build.problem.empty()) return true;
  const Costs& costs = costs_[row.device.info.name];
  const auto length = static_cast<double>(build.length);
  const double expected = costs.bytes > 0 ? costs.compilation / costs.bytes * length : 0;
  if (expected > seconds_left()) return false;
  build.compiling = workers_.start([&build, &row] {
    const auto begin = Clock::now();
    auto program =
        row.device.device.load({*build.program, build.module.get()}, row.device.selector);
    return Loaded{std::move(program), seconds_since(begin)};
  });
  return true;
}

// Starts the compilers of this case and of those that follow it; false if there is no time for the
// one of this case.
bool Verifier::compile_ahead(size_t place) {
  const auto most = static_cast<size_t>(std::max(2, wanted_threads()));
  const size_t most_ready = 4 * most;  // compiled and not used yet: they occupy memory
  std::set<const Build*> compiling, ready;
  for (size_t next = place; next < cases_.size(); ++next) {
    if (compiling.size() >= most || ready.size() >= most_ready) break;
    Row& row = rows_[cases_[next].row];
    Build& build = row.builds[cases_[next].build];
    if (build.left == 0 || build.loaded) continue;
    if (!build.compiling.valid() && (seconds_left() <= 0 || !start(row, build)))
      return next > place;
    if (!build.compiling.valid()) continue;
    const bool is_ready =
        build.compiling.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    (is_ready ? ready : compiling).insert(&build);
  }
  return true;
}

// Waits until the kernels are compiled; false if the budget ends before.
bool Verifier::wait_for(Row& row, Build& build, size_t place) {
  if (!build.compiling.valid()) return true;
  constexpr double kLook = 0.1;  // seconds until the compilers may need more work
  while (true) {
    const double left = std::clamp(seconds_left(), 0.0, kLook);
    const std::chrono::duration<double> pause(left);
    if (build.compiling.wait_for(pause) == std::future_status::ready) break;
    if (seconds_left() <= 0) return false;
    compile_ahead(place);
  }
  keep(row, build);
  return true;
}

// Takes what the compiler has made.
void Verifier::keep(Row& row, Build& build) {
  Loaded made = build.compiling.get();
  Costs& costs = costs_[row.device.info.name];
  costs.compilation += made.seconds;
  costs.bytes += static_cast<double>(build.length);
  if (made.program.ok()) {
    build.loaded = std::move(made.program).value();
    return;
  }
  const Failure& failure = made.program.failure();
  // R043: the device is too small for the schedule.
  build.problem = (failure.code == "R043" ? "refused: " : failure.code + " ") + failure.message;
  if (failure.code == "R043") build.module = nullptr;
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

// Runs the case on the device and compares; false if the result is wrong, which `row` then
// describes.
bool Verifier::verify_run(Row& row, Build& build, const VerifyCase& one) {
  const SizeCase& at = sizes_.closed[one.size];
  State state = reference_.initial(one.size);
  const std::string place = fmt::format("{}{}, {} step{}", at.label, build.open ? " (open)" : "",
                                        one.steps, one.steps == 1 ? "" : "s");
  const auto begin = Clock::now();
  Status ran = build.open ? bind_open(*build.program, at, state) : Status(Done{});
  if (ran.ok()) ran = run_to(*build.loaded, state, one.steps, row.schedule->schedule->time_tile);
  if (!ran.ok()) {
    row.result.verdict = VerifyRow::Verdict::Failed;
    row.result.result =
        fmt::format("failed at {}: {} {}", place, ran.failure().code, ran.failure().message);
    return false;
  }
  // Some devices compile kernels at their first launch.
  Costs& costs = costs_[row.device.info.name];
  double& longest = build.has_run ? costs.next_run : costs.first_run;
  longest = std::max(longest, seconds_since(begin));
  build.has_run = true;
  note_run(row, build, one);
  const auto difference = compare(at.program, reference_.after(one.size, one.steps), state,
                                  tolerance(row.device, one.steps));
  if (!difference) return true;
  row.result.verdict = VerifyRow::Verdict::Different;
  row.result.result =
      fmt::format("DIFFERS at {}: {} value{}, the first is {}: expected {}, found {}", place,
                  difference->count, difference->count == 1 ? "" : "s", difference->where,
                  difference->expected, difference->actual);
  return false;
}

void Verifier::note_run(Row& row, const Build& build, const VerifyCase& one) {
  ++run_;
  ++row.result.run;
  (build.open ? row.open : row.fixed).insert(one.size);
  row.steps_run.insert(one.steps);
}

double Verifier::expected_seconds(const Row& row, const VerifyCase& one) const {
  const auto costs = costs_.find(row.device.info.name);
  const bool has_run = row.builds[one.build].has_run;
  const double run = costs == costs_.end() ? 0
                     : has_run             ? costs->second.next_run
                                           : costs->second.first_run;
  return run + reference_.expected_seconds(one.size, one.steps);
}

// False: there is no time for this case.
bool Verifier::verify_case(const VerifyCase& one, size_t place) {
  Row& row = rows_[one.row];
  Build& build = row.builds[one.build];
  if (build.left == 0) return true;  // refused, or another case of the row was wrong
  if (run_ > 0 && expected_seconds(row, one) > seconds_left()) return false;
  if (!compile_ahead(place) || !wait_for(row, build, place)) return false;
  if (!build.problem.empty()) {
    refuse(row, build, build.problem,
           build.module ? VerifyRow::Verdict::Failed : VerifyRow::Verdict::Refused);
    return true;
  }
  if (verify_run(row, build, one)) {
    row.result.verdict = std::max(row.result.verdict, VerifyRow::Verdict::Same);
    --build.left;
  } else {
    for (Build& other : row.builds) other.left = 0;
  }
  if (build.left == 0) build.loaded = nullptr;
  return true;
}

VerifyReport Verifier::report() const {
  VerifyReport out;
  out.absent = absent_;
  out.planned = static_cast<int64_t>(cases_.size());
  out.run = run_;
  out.refused = refused_;
  std::set<size_t> sizes;
  for (const Row& row : rows_) {
    sizes.insert(row.open.begin(), row.open.end());
    sizes.insert(row.fixed.begin(), row.fixed.end());
    VerifyRow& result = out.rows.emplace_back(row.result);
    result.steps = fmt::format("{}", fmt::join(row.steps_run, " "));
    if (!row.open.empty()) result.sizes = fmt::format("{} open", row.open.size());
    if (!row.fixed.empty()) {
      result.sizes += fmt::format("{}{} fixed", row.open.empty() ? "" : ", ", row.fixed.size());
    }
    if (result.verdict != VerifyRow::Verdict::Same) continue;
    const double units = tolerance(row.device, 0).units;
    const std::string runs = result.run == result.planned
                                 ? fmt::format("{} runs", result.run)
                                 : fmt::format("{} of {} runs", result.run, result.planned);
    result.result =
        units == 0
            ? "same bits, " + runs
            : fmt::format("within tolerance, {}: at most {} ulp (of the largest value) per step",
                          runs, units);
  }
  for (const size_t size : sizes) out.sizes.push_back(sizes_.closed[size].label);
  return out;
}

VerifyReport Verifier::verify(std::vector<std::string> absent, const VerifyProgress& progress) {
  constexpr double kPause = 0.02;  // a report takes longer than a small case
  absent_ = std::move(absent);
  plan();
  bool in_time = true;
  for (size_t place = 0; place < cases_.size() && in_time; ++place) {
    const Row& row = rows_[cases_[place].row];
    if (row.builds[cases_[place].build].left == 0) continue;
    if (progress && seconds_since(told_) > kPause) {
      told_ = Clock::now();
      progress(row.device.info.name + ", " + row.schedule->brief, report());
    }
    in_time = verify_case(cases_[place], place);
  }
  const VerifyReport out = report();
  const bool compiling = std::any_of(rows_.begin(), rows_.end(), [](const Row& row) {
    return std::any_of(row.builds.begin(), row.builds.end(),
                       [](const Build& build) { return build.compiling.valid(); });
  });
  if (compiling && request_.before_waiting) request_.before_waiting(out);
  return out;
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
  const auto start = Clock::now();
  const auto program = analyze(tree, source, request.options, diagnostics);
  if (!program) return Failure{"", "the program has errors", ""};
  std::vector<std::string> absent;
  auto devices = TRY(choose_devices(request.device, absent));
  auto cases = choose_schedules(*program, request.schedule, request.quick, diagnostics);
  if (diagnostics.has_errors()) return Failure{"", "the schedule is invalid", ""};
  for (const ChosenDevice& device : devices) {
    if (!is_automatic(request.schedule)) {
      for (ScheduleCase& each : cases) each.in_use.push_back(device.device.name);
      continue;
    }
    std::optional<std::string> line;
    if (request.line_in_use) line = request.line_in_use(*program, device);
    mark_in_use(*program, device.device.name, device.device.machine, line.value_or("auto"), cases);
  }
  std::vector<schedule::Schedule> schedules;
  for (const ScheduleCase& each : cases) {
    if (each.schedule) schedules.push_back(*each.schedule);
  }
  SizeCases sizes = choose_sizes(tree, source, request.options, schedules, request.quick);
  if (sizes.closed.empty()) {
    return Failure{"R054", "no size was found at which the program is valid",
                   "give params a value with -D"};
  }
  Verifier verifier(request, std::move(sizes), std::move(cases), std::move(devices), start);
  return verifier.verify(std::move(absent), progress);
}

}  // namespace stencil::runtime
