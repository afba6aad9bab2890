// Runs a program in stencil IR:
//
//   bind_params -> prepare_state -> prepare (device, schedule, kernels) -> execute
//
// A run is divided into chunks of whole time tiles (which may end early where a reduction is due),
// so that it can report progress and be interrupted. Chunks also end where an event is due; the
// loop knows nothing else about series and checkpoints. Each chunk ends with a wait for the device,
// so chunks are long: the first is one time tile, and they grow until one takes a quarter of a
// second.
#include "runtime/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "compiler/ir/passes.h"
#include "compiler/kernel/passes.h"
#include "compiler/reference/interpreter.h"
#include "compiler/reference/points.h"
#include "compiler/support/numbers.h"
#include "compiler/support/try.h"
#include "runtime/io/field_boxes.h"

namespace stencil::runtime {

// --- Params

namespace {

Failure no_value(const ir::Param& param, const std::string& text) {
  return {"R051",
          fmt::format("'{}' is not a valid value of param '{}' of type {}", text, param.name,
                      name(param.type)),
          fmt::format("give {}", numbers_of(param.type))};
}

}  // namespace

Result<Params> bind_params(const ir::Program& program,
                           const std::map<std::string, std::string>& values) {
  Params params;
  for (const ir::Param& param : program.params) {
    int64_t integer = param.integer_value.value_or(0);
    double real = param.real_value.value_or(0);
    const auto value = values.find(param.name);
    const bool given = value != values.end() && !param.folded();
    if (!given && !param.folded() && !param.real_value && !param.derived) {
      return Failure{"R050", fmt::format("param '{}' has no value", param.name),
                     fmt::format("give it with -D {}=...", param.name)};
    }
    if (given && is_float(param.type)) {
      const auto parsed = parse_real(value->second, param.type);
      if (!parsed) return no_value(param, value->second);
      real = *parsed;
    } else if (given) {
      const auto parsed = parse_integer(value->second, param.type);
      if (!parsed) return no_value(param, value->second);
      integer = *parsed;
    }
    params.integers.push_back(integer);
    params.reals.push_back(real);
    params.given.push_back(given);
  }
  const auto fault = ir::derive_params(program, params.given, params.integers, params.reals);
  if (fault) return Failure{fault->code, fault->message, fault->hint};
  return params;
}

Result<reference::State> prepare_state(const ir::Program& program, const Params& params,
                                       Diagnostics& diagnostics) {
  const Diagnostics failed = ir::failed_checks(program, params.integers, params.reals);
  for (const Diagnostic& diagnostic : failed.items()) diagnostics.add(diagnostic);
  if (failed.has_errors()) return Failure{"", "the program's checks do not hold", ""};
  std::string error;
  auto state = reference::allocate(program, params.integers, params.reals, error);
  if (!state) return Failure{"R052", "the fields cannot be allocated: " + error, ""};
  reference::initialise(program, *state);
  return std::move(*state);
}

namespace {

Status check_last_step(const ir::Program& program, int64_t last) {
  const int64_t most = ir::most_steps(program);
  if (last <= most) return Done{};
  return Failure{"R053", fmt::format("a run has at most {} steps, not {}", most, last),
                 "steps are 32-bit integers, like `time`"};
}

}  // namespace

Result<int64_t> steps_of(const ir::Program& program, const Params& params) {
  if (!program.steps) {
    return Failure{"R053", "the program gives no number of steps", "give it with --steps"};
  }
  const auto steps = ir::evaluate(*program.steps, params.integers);
  if (!steps || *steps < 0) {
    return Failure{"R053",
                   steps ? fmt::format("the number of steps is {}", *steps)
                         : std::string("the number of steps overflows"),
                   "give another with --steps"};
  }
  TRY(check_last_step(program, *steps));
  return *steps;
}

Result<int64_t> steps_left(int64_t last, const reference::State& state) {
  if (state.step <= last) return last - state.step;
  return Failure{
      "R064",
      fmt::format("the run ends at step {}, but its state is already at step {}", last, state.step),
      "give a larger number with --steps"};
}

Status check_needs(const ir::Program& program, const reference::State& state, int64_t last) {
  for (const ir::StepLimit& limit : program.step_limits) {
    const auto most = ir::evaluate(limit.steps, state.integer_params);
    if (most && last <= *most) continue;
    return Failure{"R055", fmt::format("{}: not enough for {} steps", limit.message, last),
                   limit.hint};
  }
  TRY(check_last_step(program, last));
  // The contents of device memory are not checked here.
  if (const auto misplaced = reference::misplaced_points(program, state)) {
    return Failure{"R056", *misplaced, "positions are grid indices, which may be fractional"};
  }
  return Done{};
}

// --- Device, schedule, kernels

bool is_automatic(const std::string& line) {
  return line.empty() || line == "auto";
}

std::shared_ptr<const kernel::Module> lower(const ir::Program& program, const std::string& line,
                                            const schedule::Machine& machine,
                                            std::optional<schedule::Schedule>& schedule,
                                            Diagnostics& diagnostics) {
  schedule = is_automatic(line) ? schedule::choose(program, nullptr, machine)
                                : schedule::parse(line, program, diagnostics, machine);
  return schedule ? lower(program, *schedule, machine, diagnostics) : nullptr;
}

std::shared_ptr<const kernel::Module> lower(const ir::Program& program,
                                            const schedule::Schedule& schedule,
                                            const schedule::Machine& machine,
                                            Diagnostics& diagnostics, schedule::Advice advice) {
  auto module = schedule::lower(program, schedule, diagnostics, machine, advice);
  if (!module) return nullptr;
  const auto problems = kernel::verify(*module);
  for (const std::string& problem : problems) {
    diagnostics.error("K001", {}, "internal error: unsound kernel: " + problem);
  }
  if (!problems.empty()) return nullptr;
  return std::make_shared<kernel::Module>(std::move(*module));
}

namespace {

// Lowers the program for the chosen device and loads it.
Status build(const ir::Program& program, const std::string& line, bool dense, Prepared& out,
             Diagnostics& diagnostics, const StageCallback& stage) {
  const std::string where = fmt::format("{} for {}", program.name, out.device.device.name);
  if (out.device.device.runs_kernels) {
    schedule::Machine machine = out.device.device.machine;
    machine.in_place = machine.in_place || dense;
    stage("planning " + where);
    out.module = lower(program, line, machine, out.schedule, diagnostics);
    if (!out.module) return Failure{"", "the schedule does not support the program", ""};
  } else if (!is_automatic(line) && !schedule::parse(line, program, diagnostics, schedule::cpu())) {
    return Failure{"", "the schedule is invalid", ""};  // an error although it is not used here
  }
  const std::string shown =
      out.schedule ? ": " + schedule::print(*out.schedule, program.grid().rank()) : "";
  stage("compiling " + where + shown);
  auto loaded = TRY(out.device.device.load({program, out.module.get()}, out.device.selector));
  out.loaded = std::move(loaded);
  return Done{};
}

}  // namespace

Result<Prepared> prepare(const ir::Program& program, const std::string& device,
                         const std::string& schedule_line, Diagnostics& diagnostics, bool dense,
                         const StageCallback& stage, const KnownLines& known) {
  const StageCallback tell = stage ? stage : [](const std::string&) {};
  Prepared out;
  tell(fmt::format("looking for the device {}", device));
  auto chosen = TRY(choose_device(device));
  out.device = std::move(chosen);
  if (known && is_automatic(schedule_line) && out.device.device.runs_kernels) {
    const auto found = known(out.device);
    Diagnostics unused;
    if (found && build(program, found->line, dense, out, unused, tell).ok()) {
      out.origin = found->origin;
      return out;
    }
  }
  TRY(build(program, schedule_line, dense, out, diagnostics, tell));
  return out;
}

// --- The run

Status SessionSource::write(const std::vector<SharedFile>& files) {
  if (FieldRows* rows = session_.rows()) return rows->write(files);
  const Status gathered = gather(levels_of(files, state_.fields.size()));
  return gathered.ok() ? StateSource(state_).write(files) : gathered;
}

Result<std::vector<uint32_t>> SessionSource::checksums(const std::vector<StoredArray>& arrays) {
  if (FieldRows* rows = session_.rows()) return rows->checksums(arrays);
  TRY(gather(levels_of(arrays, state_.fields.size())));
  return StateSource(state_).checksums(arrays);
}

Result<std::vector<NonFiniteCount>> SessionSource::count_non_finite(
    const std::vector<Selection>& places) {
  if (FieldRows* rows = session_.rows()) return rows->count_non_finite(places);
  std::vector<NonFiniteCount> out;
  for (const Selection& place : places) {
    const reference::FieldData& field = state_.fields[place.field];
    const auto here =
        TRY(session_.count_non_finite({place.field, place.level, place.component, field.box}));
    if (here) {
      out.push_back(*here);
      continue;
    }
    TRY(gather(levels_of(std::vector{place}, state_.fields.size())));
    const auto counted = TRY(StateSource(state_).count_non_finite({place}));
    out.push_back(counted[0]);
  }
  return out;
}

namespace {

double points_of(const ir::Program& program, const reference::State& state) {
  const auto box = reference::concrete(program.grid(), state.integer_params);
  const auto points = box ? reference::count_points(*box) : std::nullopt;
  return static_cast<double>(points.value_or(0));
}

// The steps of the smallest number of whole tiles with at least `wanted` steps, at most `left`.
int64_t whole_tiles(const Prepared& prepared, int64_t step, int64_t wanted, int64_t left) {
  wanted = std::min(wanted, left);
  if (!prepared.module || prepared.module->plan.reductions.empty()) return wanted;
  int64_t taken = 0;
  while (taken < wanted) {
    taken += kernel::steps_of_tile(prepared.module->plan, left - taken, step + taken);
  }
  return taken;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Schedules the events of a run.
class Agenda {
 public:
  explicit Agenda(const std::vector<Event>& events) : events_(events), last_(events.size()) {}

  // Steps from `step` to the next one at which an event is due by step number.
  int64_t steps_until_due(int64_t step) const {
    int64_t least = INT64_MAX;
    for (const Event& event : events_) {
      if (event.every > 0) least = std::min(least, event.every - step % event.every);
    }
    return least;
  }

  // Executes the events that are due between two chunks.
  Status act(FieldSource& fields) {
    const reference::State& state = fields.state();
    for (size_t e = 0; e < events_.size(); ++e) {
      const Event& event = events_[e];
      const bool by_step = event.every > 0 && state.step % event.every == 0;
      const bool by_time = event.seconds > 0 && seconds_since(last_[e].time) >= event.seconds;
      if (!by_step && !by_time) continue;
      const Status done = act(e, fields);
      if (!done.ok()) return with_checkpoints(done.failure(), e, fields);
    }
    return Done{};
  }

  // Executes the events that are due at the end.
  Status finish(FieldSource& fields) {
    for (size_t e = 0; e < events_.size(); ++e) {
      if (!events_[e].at_end || last_[e].step == fields.state().step) continue;
      const Status done = act(e, fields);
      if (!done.ok()) return with_checkpoints(done.failure(), e, fields);
    }
    return Done{};
  }

 private:
  struct Last {
    Clock::time_point time = Clock::now();
    int64_t step = -1;
  };

  Status act(size_t e, FieldSource& fields) {
    Status done = events_[e].action(fields);
    if (done.ok()) last_[e] = {Clock::now(), fields.state().step};
    return done;
  }

  // Completes the failure of event `failed`: saves the state with the other checkpoint events, then
  // adds the files to continue from to the hint.
  Failure with_checkpoints(Failure failure, size_t failed, FieldSource& fields) {
    const auto tell = [&](const std::string& what) {
      failure.hint += (failure.hint.empty() ? "" : "; ") + what;
    };
    for (size_t e = 0; e < events_.size(); ++e) {
      const std::string& path = events_[e].checkpoint;
      if (path.empty()) continue;
      if (e != failed && last_[e].step != fields.state().step) {
        const Status kept = act(e, fields);
        if (!kept.ok()) tell("the checkpoint also failed: " + kept.failure().message);
      }
      if (last_[e].step >= 0) {
        tell(fmt::format("'{}' holds step {}: continue from it with --restart", path,
                         last_[e].step));
      }
    }
    return failure;
  }

  const std::vector<Event>& events_;
  std::vector<Last> last_;  // last successful execution of each
};

// The reduction that is NaN or was so after step `since`; if several, the first to become NaN.
std::optional<ir::ReductionId> became_nan(const reference::State& state, int64_t since) {
  std::optional<size_t> found;
  for (size_t r = 0; r < state.reductions.size(); ++r) {
    const reference::ReductionValue& value = state.reductions[r];
    if (value.first_nan <= since && !value.is_nan()) continue;
    if (!found || value.first_nan < state.reductions[*found].first_nan) found = r;
  }
  if (!found) return std::nullopt;
  return static_cast<ir::ReductionId>(*found);
}

// Number of steps per chunk, such that a chunk takes a quarter of a second.
class ChunkLength {
 public:
  explicit ChunkLength(int64_t tile) : tile_(tile), steps_(tile) {}
  int64_t steps() const { return steps_; }

  // `taken` steps have taken `seconds`. Fewer steps than steps() do not justify an increase.
  void adapt(int64_t taken, double seconds) {
    constexpr double kSeconds = 0.25;
    if (seconds < kSeconds && taken >= steps_ && steps_ < INT64_MAX / 4) {
      steps_ *= seconds < kSeconds / 8 ? 4 : 2;
    } else if (seconds > 2 * kSeconds) {
      steps_ = std::max(tile_, steps_ / 2 / tile_ * tile_);
    }
  }

 private:
  int64_t tile_;
  int64_t steps_;
};

}  // namespace

Result<RunReport> execute(const ir::Program& program, const Prepared& prepared,
                          reference::State& state, int64_t steps, const ProgressCallback& progress,
                          const std::vector<Event>& events, OnNan on_nan) {
  TRY(check_needs(program, state, state.step + steps));
  auto session = TRY(prepared.loaded->start(state));
  const double points = points_of(program, state);
  ChunkLength chunk(prepared.module ? kernel::steps_of_period(prepared.module->plan) : 1);
  Agenda agenda(events);
  SessionSource fields(*session, state);
  const auto start = Clock::now();
  const int64_t first = state.step;
  RunReport report;
  while (report.steps < steps && !report.interrupted && !report.stopped && !report.nan) {
    const int64_t left = std::min(steps - report.steps, agenda.steps_until_due(state.step));
    const int64_t wanted = whole_tiles(prepared, state.step, chunk.steps(), left);
    const auto begin = Clock::now();
    const auto done = TRY(session->advance(wanted));
    const double seconds = seconds_since(begin);
    chunk.adapt(wanted, seconds);
    report.steps += done;
    report.seconds += session->seconds().value_or(seconds);
    report.updates = static_cast<double>(report.steps) * points;
    report.stopped = state.stopped;
    if (on_nan == OnNan::Stop) report.nan = became_nan(state, first);
    TRY(done > 0 ? agenda.act(fields) : Done{});
    if (!progress) continue;
    const bool proceed =
        progress({report.steps, steps, report.seconds, report.updates, seconds_since(start)});
    report.interrupted = !proceed && report.steps < steps && !report.stopped && !report.nan;
  }
  TRY(agenda.finish(fields));
  TRY(session->finish());
  return report;
}

}  // namespace stencil::runtime
