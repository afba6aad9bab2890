// Simulation: a state, and a session of the device that has its fields while steps are taken.
//
// The session is opened by the first step and kept, so that steps taken in many calls copy nothing.
// Who reads a field has the session bring them home first; who changes one, or a param, ends the
// session, and the next step opens another from the state.
//
// Where the fields are arrays of the user's in host memory, which the user may change between
// calls, a session lasts for one call.
#include "stencil/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "runtime/api/internal.h"
#include "runtime/homecoming.h"
#include "runtime/stats.h"

namespace stencil {

namespace api {

namespace {

// A session that is there already, as a program to start: runtime::execute takes steps in it.
class KeptSession : public runtime::Session {
 public:
  explicit KeptSession(runtime::Session& session) : session_(session) {}
  Result<int64_t> advance(int64_t steps) override {
    const auto done = session_.advance(steps);
    if (!done.ok()) return done;
    const Status waited = session_.wait();  // the time of a chunk is known only then
    if (!waited.ok()) return waited.failure();
    return done;
  }
  std::optional<double> seconds() const override { return session_.seconds(); }
  Status finish() override { return Done{}; }

 private:
  runtime::Session& session_;
};

class KeptProgram : public runtime::LoadedProgram {
 public:
  explicit KeptProgram(runtime::Session& session) : session_(session) {}
  Result<std::unique_ptr<runtime::Session>> start(reference::State&) const override {
    return std::unique_ptr<runtime::Session>(std::make_unique<KeptSession>(session_));
  }

 private:
  runtime::Session& session_;
};

// Puts the levels of a field whose memory is the user's back where the user finds them: a device
// may have exchanged them with the spare one.
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

Status SimulationData::open_session() {
  if (session) return Done{};
  const runtime::LoadedProgram& loaded = *kernel->prepared.loaded;
  auto opened =
      device_arrays.fields.empty() ? loaded.start(state) : loaded.attach(state, device_arrays);
  if (!opened.ok()) return opened.failure();
  session = std::move(opened).value();
  return Done{};
}

Status SimulationData::fetch() {
  if (!session) return Done{};
  const Status waited = session->wait();
  if (!waited.ok() || fetched) return waited;
  const Status finished = session->finish();
  if (!finished.ok()) return finished;
  for (size_t f = 0; f < homes.size(); ++f) restore_homes(homes[f], state.fields[f]);
  fetched = true;
  return Done{};
}

Status SimulationData::close_session() {
  const Status done = fetch();
  if (done.ok()) session.reset();
  return done;
}

Result<Report> SimulationData::advance_session(int64_t steps, const ProgressCallback& progress) {
  Report report;
  if (progress) {
    const runtime::Prepared& prepared = kernel->prepared;
    const auto run =
        runtime::execute(program(),
                         {prepared.device, prepared.schedule, prepared.module,
                          std::make_unique<KeptProgram>(*session)},
                         state, steps, [&](const runtime::Progress& at) {
                           return progress({at.done, at.total, at.seconds, at.updates});
                         });
    if (!run.ok()) return run.failure();
    report.steps = run.value().steps;
    report.seconds = run.value().seconds;
    report.interrupted = run.value().interrupted;
  } else {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto done = session->advance(steps);
    if (!done.ok()) return done.failure();
    report.steps = done.value();
    if (arrays != Arrays::Device) {
      const std::chrono::duration<double> taken = Clock::now() - begin;
      report.seconds = session->seconds().value_or(taken.count());
    }
  }
  report.updates = static_cast<double>(report.steps) * points;
  report.stopped = state.stopped;
  return report;
}

Result<Report> SimulationData::advance(int64_t steps, const ProgressCallback& progress) {
  if (steps < 0) return Failure{"R053", fmt::format("the number of steps is {}", steps), ""};
  if (steps == 0 || state.stopped) return Report{.stopped = state.stopped};
  const Status opened = open_session();
  if (!opened.ok()) return opened.failure();
  fetched = false;
  auto report = advance_session(steps, progress);
  if (arrays != Arrays::Host || !report.ok()) return report;
  const Status closed = close_session();
  if (!closed.ok()) return closed.failure();
  return report;
}

}  // namespace api

using api::SimulationData;

Simulation::Simulation(std::unique_ptr<SimulationData> data) : data_(std::move(data)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const std::vector<FieldInfo>& Simulation::fields() const {
  return data_->fields;
}

namespace {

struct Target {
  api::Place place;
  reference::FieldData* field;
};

// The place of that name, whose field has its memory on the host.
Result<Target> find(SimulationData& data, const std::string& name) {
  const auto place = api::find_place(data.program(), name);
  if (!place.ok()) return place.failure();
  if (data.arrays == SimulationData::Arrays::Device &&
      data.device_arrays.given(place.value().field)) {
    return Failure{"R073",
                   fmt::format("field '{}' lies in memory of the device that you gave", name),
                   "copy it by means of the device"};
  }
  return Target{place.value(), &data.state.fields[static_cast<size_t>(place.value().field)]};
}

}  // namespace

Status Simulation::set(const std::string& field, const AnyView& array) {
  return api::guarded<Done>([&]() -> Status {
    const auto target = find(*data_, field);
    if (!target.ok()) return target.failure();
    auto& [place, values] = target.value();
    const Status fits = api::check_array(data_->program(), *values, place, field, array, false);
    if (!fits.ok()) return fits;
    const Status closed = data_->close_session();
    if (!closed.ok()) return closed;
    api::copy_in(array, place, *values);
    return Done{};
  });
}

Status Simulation::get(const std::string& field, const AnyView& array) {
  return api::guarded<Done>([&]() -> Status {
    const auto target = find(*data_, field);
    if (!target.ok()) return target.failure();
    const auto& [place, values] = target.value();
    const Status fits = api::check_array(data_->program(), *values, place, field, array, false);
    if (!fits.ok()) return fits;
    if (!array.writable()) {
      return Failure{"R073", fmt::format("the array for '{}' is const", field), ""};
    }
    const Status fetched = data_->fetch();
    if (!fetched.ok()) return fetched;
    api::copy_out(*values, place, array);
    return Done{};
  });
}

Result<Extents> Simulation::shape_of(const std::string& field) const {
  return api::guarded<Extents>([&]() -> Result<Extents> {
    const auto place = api::find_place(data_->program(), field);
    if (!place.ok()) return place.failure();
    const auto& values = data_->state.fields[static_cast<size_t>(place.value().field)];
    return api::shape_at(data_->program(), values, place.value());
  });
}

Status Simulation::set_param(const std::string& name, const ParamValue& value) {
  return api::guarded<Done>([&]() -> Status {
    const auto& params = data_->program().params;
    std::vector<std::string> names = ir::param_names(data_->program());
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return api::unknown("param", name, names);
    const auto index = static_cast<size_t>(found - names.begin());
    if (params[index].folded() || !is_float(params[index].type)) {
      return Failure{"R074",
                     params[index].folded()
                         ? fmt::format("param '{}' is part of the code", name)
                         : fmt::format("param '{}' is an integer, fixed when the run starts", name),
                     ""};
    }
    const auto number = api::real_value(params[index], value.text());
    if (!number.ok()) return number.failure();
    const Status closed = data_->close_session();
    if (!closed.ok()) return closed;
    data_->state.real_params[index] = number.value();
    return Done{};
  });
}

Result<Report> Simulation::advance(int64_t steps, const ProgressCallback& progress) {
  return api::guarded<Report>([&] { return data_->advance(steps, progress); });
}

Result<Report> Simulation::run(const ProgressCallback& progress) {
  return api::guarded<Report>([&]() -> Result<Report> {
    const auto steps = runtime::steps_of(data_->program(),
                                         {data_->state.integer_params, data_->state.real_params});
    if (!steps.ok()) return steps.failure();
    return data_->advance(std::max<int64_t>(steps.value() - data_->state.step, 0), progress);
  });
}

Status Simulation::wait() {
  return api::guarded<Done>(
      [&]() -> Status { return data_->session ? data_->session->wait() : Done{}; });
}

int64_t Simulation::step() const {
  return data_->state.step;
}
bool Simulation::stopped() const {
  return data_->state.stopped;
}

Result<std::vector<ReductionValue>> Simulation::reductions() {
  return api::guarded<std::vector<ReductionValue>>([&]() -> Result<std::vector<ReductionValue>> {
    const Status waited = wait();
    if (!waited.ok()) return waited.failure();
    std::vector<ReductionValue> out;
    for (size_t r = 0; r < data_->state.reductions.size(); ++r) {
      const reference::ReductionValue& value = data_->state.reductions[r];
      out.push_back({data_->program().reductions[r].name, value.as_double(), value.integer,
                     value.evaluations});
    }
    return out;
  });
}

Result<ReductionValue> Simulation::reduction(const std::string& name) {
  return api::guarded<ReductionValue>([&]() -> Result<ReductionValue> {
    auto all = reductions();
    if (!all.ok()) return all.failure();
    std::vector<std::string> names;
    for (ReductionValue& value : all.value()) {
      if (value.name == name) return std::move(value);
      names.push_back(value.name);
    }
    return api::unknown("reduction", name, names);
  });
}

Result<Statistics> Simulation::statistics(const std::string& field) {
  return api::guarded<Statistics>([&]() -> Result<Statistics> {
    const auto target = find(*data_, field);
    if (!target.ok()) return target.failure();
    const auto& [place, values] = target.value();
    if (place.component < 0 || place.level != 0) {
      return Failure{
          "R073",
          fmt::format("statistics are of the newest level of one component, '{}' is not", field),
          ""};
    }
    const Status fetched = data_->fetch();
    if (!fetched.ok()) return fetched.failure();
    const runtime::Statistics s = runtime::statistics_of(*values, place.component);
    return Statistics{s.points, s.nans, s.least, s.greatest, s.mean, s.l2};
  });
}

}  // namespace stencil
