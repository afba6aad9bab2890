// Opening a session copies the fields to the device, which takes far longer than a timed run. So
// sessions stay open as long as memory permits. In every round the candidates run in the same
// cyclic order, so the session used most recently is needed last. If memory is short, that session
// is closed.
//
// Values evolve from run to run. On a CPU they are reset before decaying values become subnormal,
// because arithmetic on subnormal numbers is slow.
#include "runtime/tune/candidate_timer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include "compiler/support/try.h"

namespace stencil::tune {

namespace {

constexpr double kTimedRun = 0.008, kTimedRunOfCpu = 0.02;  // seconds
constexpr double kBefore = 0.1;                             // part of a timed run, before timing
constexpr double kWarmUp = 0.05;                            // seconds for clocks to ramp up
constexpr int64_t kMostSteps = int64_t{1} << 20;            // per timed run
constexpr int64_t kSessionSteps = int64_t{1} << 30, kSessionStepsOfCpu = 1000;
constexpr int64_t kSessionBytes = int64_t{24} << 30, kSessionBytesOfCpu = int64_t{1} << 30;
constexpr int64_t kLongestInterval = 32;  // steps; timed runs are multiples of intervals up to this

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void build_into(Build& out, const ir::Program& program, const schedule::Schedule& schedule,
                const runtime::ChosenDevice& device) {
  Diagnostics diagnostics;
  out.module =
      runtime::lower(program, schedule, device.device.machine, diagnostics, schedule::Advice::None);
  if (!out.module) {
    out.refused = first_error(diagnostics);
    return;
  }
  const runtime::Job job{program, out.module.get()};
  if (device.device.compile) {
    auto code = device.device.compile(job, device.selector);
    if (!code.ok()) out.refused = words_of(code.failure());
    if (code.ok()) out.machine_code = std::move(code).value();
    return;
  }
  auto loaded = device.device.load(job, device.selector);
  if (!loaded.ok()) out.refused = words_of(loaded.failure());
  if (loaded.ok()) out.loaded = std::move(loaded).value();
}

// Last step of a session: beyond it a series has no values.
int64_t last_step_of(const ir::Program& program, const runtime::Params& params) {
  int64_t last = INT64_MAX;
  for (const ir::StepLimit& limit : program.step_limits) {
    last = std::min(last, ir::evaluate(limit.steps, params.integers).value_or(0));
  }
  return last;
}

}  // namespace

int64_t unit_of(const kernel::Plan& plan) {
  int64_t interval = 1;
  for (const kernel::Reduction& reduction : plan.reductions) {
    if (reduction.every <= kLongestInterval) interval = std::max(interval, reduction.every);
  }
  const int64_t tile = std::max(1, plan.time_tile);
  return interval == 1 && plan.reductions.empty() ? tile
                                                  : (tile + interval - 1) / interval * interval;
}

int64_t steps_for(double seconds, double seconds_per_step, int64_t unit) {
  const double units = std::ceil(seconds / (seconds_per_step * static_cast<double>(unit)));
  const int64_t most = std::max<int64_t>(kMostSteps / unit, 1);
  return unit * std::clamp<int64_t>(units < 1e9 ? static_cast<int64_t>(units) : most, 1, most);
}

double timed_run_seconds(bool on_cpu) {
  return on_cpu ? kTimedRunOfCpu : kTimedRun;
}

double warm_up_seconds() {
  return kWarmUp;
}

// A session holds all levels, and about as many spare copies.
size_t sessions_at_once(int64_t bytes, bool on_cpu) {
  const int64_t room = on_cpu ? kSessionBytesOfCpu : kSessionBytes;
  return static_cast<size_t>(std::clamp<int64_t>(room / std::max<int64_t>(2 * bytes, 1), 1, 1024));
}

std::string words_of(const Failure& failure) {
  return failure.code.empty() ? failure.message : failure.code + " " + failure.message;
}

std::string first_error(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    if (diagnostic.severity == Severity::Error) return diagnostic.code + " " + diagnostic.message;
  }
  return "the schedule does not support the program";
}

Build build(const ir::Program& program, const schedule::Schedule& schedule,
            const runtime::ChosenDevice& device) {
  const auto begin = Clock::now();
  Build out;
  try {
    build_into(out, program, schedule, device);
  } catch (const std::bad_alloc&) {
    out.refused = "R046 not enough memory";
  }
  if (!out.refused.empty()) out.module = nullptr;
  out.seconds = seconds_since(begin);
  return out;
}

CandidateTimer::CandidateTimer(const ir::Program& program, const runtime::Params& params,
                               const runtime::ChosenDevice& device)
    : program_(program),
      params_(params),
      device_(device),
      on_cpu_(device.device.machine.threads_are_loops),
      wanted_(timed_run_seconds(on_cpu_)) {}

Status CandidateTimer::prepare() {
  auto state = TRY(memory_.lay_out(program_, params_));
  fill_as_begun(program_, state, !on_cpu_);
  const auto box = reference::concrete(program_.grid(), params_.integers);
  const auto points = box ? reference::count_points(*box) : std::nullopt;
  points_ = static_cast<double>(points.value_or(0));
  most_sessions_ = sessions_at_once(bytes_of_fields(program_, params_).value_or(0), on_cpu_);
  last_step_ = last_step_of(program_, params_);
  return runtime::check_needs(program_, state, 1);
}

Status load(const ir::Program& program, Build& built, const runtime::ChosenDevice& device) {
  if (built.loaded) return Done{};
  const auto begin = Clock::now();
  const std::string* code = built.machine_code.empty() ? nullptr : &built.machine_code;
  auto loaded = device.device.load({program, built.module.get(), code}, device.selector);
  built.seconds += seconds_since(begin);
  built.machine_code.clear();
  if (!loaded.ok()) return loaded.failure();
  built.loaded = std::move(loaded).value();
  return Done{};
}

Status CandidateTimer::start(Contender& contender, const Contender* like) {
  contender.session.reset();
  auto state = TRY(memory_.lay_out(program_, params_));
  contender.state = std::make_unique<reference::State>(std::move(state));
  const runtime::LoadedProgram& loaded = *contender.build->loaded;
  auto session = TRY(like && like->session ? loaded.start_like(*contender.state, *like->session)
                                           : loaded.start(*contender.state));
  contender.session = std::move(session);
  contender.steps = 0;
  return Done{};
}

Status CandidateTimer::open(Contender& contender,
                            const std::vector<std::unique_ptr<Contender>>& all) {
  std::vector<Contender*> others;  // with sessions, most recent first
  for (const auto& other : all) {
    if (other->session && other.get() != &contender) others.push_back(other.get());
  }
  std::sort(others.begin(), others.end(),
            [](const Contender* a, const Contender* b) { return a->latest > b->latest; });
  const size_t keep = std::min(others.size(), most_sessions_ - 1);
  for (size_t o = 0; o + keep < others.size(); ++o) others[o]->session.reset();
  const Status started = start(contender, keep > 0 ? others.front() : nullptr);
  if (started.ok() || started.failure().code != "R043" || keep == 0) return started;
  for (Contender* other : others) other->session.reset();
  return start(contender);
}

Result<CandidateTimer::Advanced> CandidateTimer::advance(Contender& contender, int64_t steps) {
  steps = std::min(steps, last_step_);
  if (steps > last_step_ - contender.steps) {
    TRY(start(contender));
  }
  const auto begin = Clock::now();
  const auto done = contender.session->advance(steps);
  const double seconds = seconds_since(begin);
  if (!done.ok()) return done.failure();
  contender.steps += done.value();
  // The clock may be too coarse for one tile.
  const double measured = contender.session->seconds().value_or(seconds);
  return Advanced{done.value(), std::max(measured, 1e-9)};
}

// Seconds per step of a candidate without measurements. The first unit of steps does not count,
// because it loads code and touches memory for the first time.
Result<double> CandidateTimer::first_run(Contender& contender) {
  const int64_t unit = unit_of(contender.build->module->plan);
  const auto begin = Clock::now();
  do {
    TRY(advance(contender, unit));
  } while (!warm_ && seconds_since(begin) < kWarmUp);
  warm_ = true;
  const auto timed = TRY(advance(contender, unit));
  contender.seconds_per_step =
      timed.seconds / static_cast<double>(std::max<int64_t>(timed.steps, 1));
  return timed.seconds;
}

Result<double> CandidateTimer::time_run(Contender& contender,
                                        const std::vector<std::unique_ptr<Contender>>& all) {
  const int64_t unit = unit_of(contender.build->module->plan);
  contender.latest = ++timed_runs_;
  const bool stale = contender.steps > (on_cpu_ ? kSessionStepsOfCpu : kSessionSteps);
  const bool opens = !contender.session || stale;
  if (opens) {
    TRY(open(contender, all));
  }
  if (contender.seconds_per_step == 0) {
    const auto begun = TRY(first_run(contender));
    if (begun >= wanted_) return contender.seconds_per_step;  // long enough to count
  }
  // Other candidates have used the caches meanwhile. So take a few steps that do not count.
  const double unit_seconds = contender.seconds_per_step * static_cast<double>(unit);
  if (opens || unit_seconds < kBefore * wanted_) {
    TRY(advance(contender, steps_for(kBefore * wanted_, contender.seconds_per_step, unit)));
  }
  const auto timed = TRY(advance(contender, steps_for(wanted_, contender.seconds_per_step, unit)));
  contender.seconds_per_step =
      timed.seconds / static_cast<double>(std::max<int64_t>(timed.steps, 1));
  return contender.seconds_per_step;
}

}  // namespace stencil::tune
