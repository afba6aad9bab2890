// Simulation: a state, and a device session that holds its fields while steps are taken.
//
// The first step opens the session. It stays open, so that many short advance() calls copy nothing.
// `present` counts the levels of each field that the host state holds; each field is copied to the
// host at most once, and only if the caller reads it.
//
// If the fields are user arrays in host memory, the user may change them between calls. A device
// that works in the arrays sees these changes, so its session stays open. For other devices a
// session lasts for one call.
#include "runtime/api/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "compiler/support/try.h"
#include "runtime/api/arrays.h"
#include "runtime/api/attach.h"
#include "runtime/api/files.h"
#include "runtime/api/guarded.h"
#include "runtime/api/program.h"
#include "runtime/api/state.h"
#include "runtime/devices/bring_home.h"
#include "runtime/run/checkpoint.h"
#include "runtime/run/history.h"
#include "runtime/run/run_outputs.h"

namespace stencil {

namespace api {

namespace {

// Presents the open session as a session that runtime::execute can start, so that runtime::execute
// takes its steps and reads the state through it. Fields that are not read stay on the device when
// the run ends.
class KeptSession : public runtime::Session {
 public:
  explicit KeptSession(SimulationData& simulation) : simulation_(simulation) {}
  Result<int64_t> advance(int64_t steps) override {
    const auto done = simulation_.step_session(steps);
    if (!done.ok()) return done;
    const Status waited = simulation_.wait();  // the chunk's time is known only after waiting
    if (!waited.ok()) return waited.failure();
    return done;
  }
  Status fetch(const std::vector<int>& levels) override { return simulation_.fetch(levels); }
  Result<std::optional<runtime::NonFiniteCount>> count_non_finite(
      const runtime::BoxOfField& what) override {
    if (simulation_.session) return simulation_.session->count_non_finite(what);
    return std::optional<runtime::NonFiniteCount>();
  }
  std::optional<double> seconds() const override { return simulation_.session->seconds(); }
  Status finish() override { return Done{}; }
  runtime::FieldRows* rows() override {
    return simulation_.session ? simulation_.session->rows() : nullptr;
  }

 private:
  SimulationData& simulation_;
};

class KeptProgram : public runtime::LoadedProgram {
 public:
  explicit KeptProgram(SimulationData& simulation) : simulation_(simulation) {}
  Result<std::unique_ptr<runtime::Session>> start(reference::State&) const override {
    return std::unique_ptr<runtime::Session>(std::make_unique<KeptSession>(simulation_));
  }

 private:
  SimulationData& simulation_;
};

// The failure of a run that a NaN reduction ended, with the reduction's place in the program.
Failure nan_failure(const ProgramData& program, const reference::State& state, ir::ReductionId id) {
  const ir::Reduction& reduction = program.program.reductions[id];
  const int64_t first = state.reductions[id].first_nan;
  Diagnostics diagnostics;
  diagnostics
      .error("R080", reduction.span,
             fmt::format("reduction '{}' is NaN, first at step {}", reduction.name, first))
      .hint =
      "a smaller time step keeps many schemes stable; with --on-nan continue (OnNan::Continue) the "
      "run goes on";
  return failure_of(program.source, diagnostics);
}

// Moves the levels of a field back to the user's arrays: a session may have exchanged them with the
// spare buffer.
void restore_homes(const std::vector<std::vector<void*>>& homes, reference::FieldData& field) {
  for (size_t c = 0; c < homes.size(); ++c) {
    std::vector<reference::Buffer*> buffers;
    for (auto& level : field.levels) buffers.push_back(&level[c]);
    if (!field.spare.empty()) buffers.push_back(&field.spare[c]);
    std::vector<std::byte*> slots, home;
    for (reference::Buffer* buffer : buffers) slots.push_back(buffer->data());
    for (void* memory : homes[c]) home.push_back(static_cast<std::byte*>(memory));
    for (const auto& [to, from] : runtime::bring_home(slots, home)) {
      std::memcpy(to, from, buffers[0]->size());
    }
    for (size_t slot = 0; slot < slots.size(); ++slot) {
      const auto holder = std::find_if(buffers.begin(), buffers.end(),
                                       [&](auto* buffer) { return buffer->data() == slots[slot]; });
      buffers[slot]->swap(**holder);
    }
  }
}

}  // namespace

void SimulationData::describe_places() {
  api::describe_places(program(),
                       ir::axis_values(program(), state.integer_params, state.real_params), fields);
}

std::vector<ReductionValue> SimulationData::reduction_values(const std::vector<int>& of) const {
  std::vector<ReductionValue> out;
  for (const int r : of) {
    const reference::ReductionValue& value = state.reductions[r];
    out.push_back({program().reductions[r].name, value.as_double(), value.integer,
                   value.evaluations, value.first_nan});
  }
  return out;
}

std::vector<int> SimulationData::all_levels() const {
  return std::vector<int>(state.fields.size(), std::numeric_limits<int>::max());
}

Result<int64_t> SimulationData::last_step() const {
  return runtime::steps_of(program(), {state.integer_params, state.real_params});
}

bool SimulationData::keeps_session() const {
  if (arrays != Arrays::Host) return true;
  for (size_t f = 0; f < homes.size(); ++f) {
    if (program().fields[f].is_point_set() && !homes[f].empty()) return false;
  }
  return works_in_place();
}

Status SimulationData::open_session() {
  if (session) return Done{};
  const runtime::LoadedProgram& loaded = *kernel->prepared.loaded;
  auto opened = TRY(device_arrays.fields.empty() ? loaded.start_from(state, files)
                                                 : loaded.attach(state, device_arrays));
  session = std::move(opened);
  files.clear();
  present.assign(state.fields.size(), 0);
  for (size_t f = 0; f < present.size(); ++f) {
    const bool here = is_stored(f) || arrays == Arrays::Device;
    if (here) present[f] = std::numeric_limits<int>::max();
  }
  return Done{};
}

Status SimulationData::wait() {
  if (captured) forget_changed();  // launches of the graph may have changed the fields
  return session ? session->wait() : Done{};
}

void SimulationData::forget_changed() {
  for (size_t f = 0; f < present.size(); ++f) {
    if (ir::changes(program(), static_cast<ir::FieldId>(f))) present[f] = 0;
  }
}

Status SimulationData::fetch(const std::vector<int>& levels) {
  TRY(wait());
  for (size_t f = 0; f < levels.size() && !session; ++f) {
    if (levels[f] == 0) continue;
    TRY(store(f));
  }
  if (!session) return Done{};
  std::vector<int> missing(present.size(), 0);
  for (size_t f = 0; f < std::min(present.size(), levels.size()); ++f) {
    const int wanted = std::min(levels[f], program().fields[f].history);
    if (wanted <= present[f]) continue;
    missing[f] = wanted;
  }
  TRY(session->fetch(missing));
  for (size_t f = 0; f < present.size(); ++f) present[f] = std::max(present[f], missing[f]);
  return Done{};
}

Status SimulationData::read(const runtime::BoxOfField& what, std::byte* to) {
  const auto f = static_cast<size_t>(what.field);
  const bool opens = kernel && !session && !is_stored(f);
  TRY(opens ? open_session() : wait());
  if (session && what.level >= present[f] && !program().fields[f].read_in_place()) {
    const auto read = TRY(session->read(what, to));
    if (read) return Done{};
  }
  std::vector<int> levels(state.fields.size(), 0);
  levels[f] = what.level + 1;
  const Status fetched = fetch(levels);
  if (fetched.ok()) runtime::read_box(state, what, to);
  return fetched;
}

Status SimulationData::look(const std::function<Status(runtime::FieldSource&)>& at) {
  // Fields without storage get their values when the session opens, so they can be read only there.
  const bool opens = kernel && !session && !all_stored();
  TRY(opens ? open_session() : wait());
  KeptSession kept(*this);
  runtime::SessionSource fields(kept, state);
  return at(fields);
}

Status SimulationData::close_session() {
  if (!session) return Done{};
  if (captured) {
    return Failure{"R047", "values cannot be set: a CUDA graph uses the memory of the simulation",
                   "start another simulation with Kernel::attach_device"};
  }
  TRY(fetch(all_levels()));
  session.reset();
  for (size_t f = 0; f < homes.size(); ++f) restore_homes(homes[f], state.fields[f]);
  return Done{};
}

Status SimulationData::check_on_host(const std::vector<int>& levels) const {
  for (size_t f = 0; f < levels.size(); ++f) {
    const bool given = arrays == Arrays::Device && device_arrays.given(static_cast<int>(f));
    if (!given || levels[f] == 0) continue;
    return Failure{
        "R073",
        fmt::format("field '{}' is in device memory that the caller provided", fields[f].name),
        "copy it with the device's own API, such as cudaMemcpy"};
  }
  return Done{};
}

Result<int64_t> SimulationData::step_session(int64_t steps) {
  forget_changed();
  captured = captured || session->is_captured();
  return session->advance(steps);
}

// Queues the steps without waiting if the session is asynchronous.
Result<Report> SimulationData::advance_quietly(int64_t steps) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto done = TRY(step_session(steps));
  Report report;
  report.steps = done;
  if (arrays != Arrays::Device) {
    const std::chrono::duration<double> taken = Clock::now() - begin;
    report.seconds = session->seconds().value_or(taken.count());
  }
  report.updates = static_cast<double>(report.steps) * points;
  report.stopped = state.stopped;
  return report;
}

Result<Report> SimulationData::execute(int64_t steps, const ProgressCallback& progress,
                                       const std::vector<runtime::Event>& events, OnNan on_nan) {
  const runtime::Prepared& prepared = kernel->prepared;
  const auto pass_on = [&](const runtime::Progress& at) {
    return progress({at.done, at.total, at.seconds, at.updates, at.elapsed});
  };
  const auto run = TRY(runtime::execute(
      program(),
      {prepared.device, prepared.schedule, prepared.module, std::make_unique<KeptProgram>(*this)},
      state, steps, progress ? runtime::ProgressCallback(pass_on) : nullptr, events,
      on_nan == OnNan::Stop ? runtime::OnNan::Stop : runtime::OnNan::Continue));
  const runtime::RunReport& done = run;
  Report report{done.steps, done.seconds, done.updates, done.interrupted, done.stopped};
  if (done.nan) report.nan = nan_failure(*source, state, *done.nan);
  return report;
}

Result<Report> SimulationData::in_session(const std::function<Result<Report>()>& take_steps) {
  TRY(open_session());
  auto report = take_steps();
  if (keeps_session()) return report;
  const Status closed = close_session();
  if (report.ok() && !closed.ok()) return closed.failure();
  return report;
}

Result<Report> SimulationData::advance(int64_t steps, const ProgressCallback& progress,
                                       OnNan on_nan) {
  if (steps < 0) return Failure{"R053", fmt::format("the number of steps is {}", steps), ""};
  if (steps == 0 || state.stopped) return Report{.stopped = state.stopped};
  TRY(check_inputs());
  int64_t last = 0;  // saturates on overflow
  if (__builtin_add_overflow(state.step, steps, &last)) last = INT64_MAX;
  TRY(runtime::check_needs(program(), state, last));
  // Checking for NaN would wait; a session on the user's device arrays must stay asynchronous.
  if (arrays == Arrays::Device) on_nan = OnNan::Ignore;
  return in_session([&] {
    const bool quiet = !progress && on_nan == OnNan::Ignore;
    if (quiet || session->is_captured()) return advance_quietly(steps);  // nothing to watch
    runtime::FiniteCheck check(program());
    return execute_checked(steps, progress, {}, on_nan, check);
  });
}

Result<Report> SimulationData::execute_checked(int64_t steps, const ProgressCallback& progress,
                                               std::vector<runtime::Event> events, OnNan on_nan,
                                               runtime::FiniteCheck& check,
                                               const runtime::NonFiniteWatch* watch) {
  if (on_nan == OnNan::Ignore) return execute(steps, progress, events, on_nan);
  TRY(look([&](runtime::FieldSource& fields) { return check.begin(fields); }));
  events.push_back(check.event());
  auto report = execute(steps, progress, events, on_nan);
  if (!report.ok()) return report;
  if (watch) check.note_fields(watch->found());
  for (const runtime::NonFinite& found : check.found()) {
    report.value().became_non_finite.push_back(described(program(), found));
  }
  return report;
}

Result<Report> SimulationData::run(const RunFiles& files, const ProgressCallback& progress,
                                   OnNan on_nan) {
  const auto last = TRY(last_step());
  TRY(check_inputs());
  TRY(check(program(), files));
  const auto outputs = TRY(placed(program(), state, files.outputs, files.every));
  TRY(check_continued(program(), state, outputs));
  TRY(check_on_host(files.checkpoint.empty() ? runtime::levels_shown(program(), outputs)
                                             : all_levels()));

  std::vector<runtime::Event> events;
  std::optional<runtime::History> history;
  runtime::FiniteCheck check(program());
  if (!files.history.empty() || files.evaluated) {
    auto begun =
        TRY(runtime::History::begin(files.history, program(), state, [&](auto, const auto& of) {
          check.note_reductions(state, of);
          if (files.evaluated) files.evaluated(state.step, reduction_values(of));
        }));
    history.emplace(std::move(begun));
    events = history->events();  // before checkpoints, which must not be newer than the history
  }
  runtime::NonFiniteWatch watch(program(), outputs);
  auto writers = TRY(runtime::RunOutputs::begin(program(), outputs, state, last));
  for (runtime::Event& event : writers.events(watch)) {
    TRY(event.every > 0 && state.step == 0 ? look(event.action) : Done{});
    events.push_back(std::move(event));
  }
  if (!files.checkpoint.empty()) {
    events.push_back(runtime::checkpoint_event(files.checkpoint, program(), files.checkpoint_steps,
                                               files.checkpoint_seconds));
    const auto save = events.back().action;
    events.back().action = [&, save](runtime::FieldSource& fields) {
      const Status synced = history ? history->sync() : Status(Done{});
      return synced.ok() ? save(fields) : synced;
    };
  }
  for (runtime::Event& event : writers.encodings(watch)) events.push_back(std::move(event));
  const int64_t steps = std::max<int64_t>(last - state.step, 0);
  auto report =
      in_session([&] { return execute_checked(steps, progress, events, on_nan, check, &watch); });
  const Status synced = history ? history->sync() : Status(Done{});
  if (!report.ok()) return report;
  if (!synced.ok()) return synced.failure();
  for (const runtime::NonFinite& found : watch.found()) {
    report.value().non_finite.push_back(described(program(), found));
  }
  return report;
}

}  // namespace api

Simulation::Simulation(std::unique_ptr<api::SimulationData> data) : State(std::move(data)) {}

Result<Report> Simulation::advance(int64_t steps, const ProgressCallback& progress) {
  return api::guarded<Report>([&] { return data_->advance(steps, progress, OnNan::Ignore); });
}

Result<Report> Simulation::run(const ProgressCallback& progress, OnNan on_nan) {
  return api::guarded<Report>([&]() -> Result<Report> {
    const auto last = TRY(data_->last_step());
    return data_->advance(std::max<int64_t>(last - step(), 0), progress, on_nan);
  });
}

Result<Report> Simulation::run(const RunFiles& files, const ProgressCallback& progress,
                               OnNan on_nan) {
  return api::guarded<Report>([&] { return data_->run(files, progress, on_nan); });
}

Status Simulation::wait() {
  return api::guarded<Done>([&]() -> Status {
    // After set() the session is closed. A capture has to find it open.
    TRY(data_->arrays == api::SimulationData::Arrays::Device ? data_->open_session() : Done{});
    return data_->wait();
  });
}

}  // namespace stencil
