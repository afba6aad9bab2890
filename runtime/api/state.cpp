// State: fields, params and reductions of a run. If a simulation's fields are on a device, reading
// a field makes the session copy the needed levels to the host. Changing a field or a param closes
// the session; the next step opens a new one from the state.
#include "runtime/api/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/ir/passes.h"
#include "compiler/support/try.h"
#include "runtime/api/arrays.h"
#include "runtime/api/guarded.h"
#include "runtime/api/program.h"
#include "runtime/api/simulation.h"
#include "runtime/run/stats.h"

namespace stencil {

using api::SimulationData;

State::State(std::unique_ptr<SimulationData> data) : data_(std::move(data)) {}
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;
State::~State() = default;

const std::vector<FieldInfo>& State::fields() const {
  return data_->fields;
}

namespace {

struct Target {
  api::Place place;
  reference::FieldData* field;
};

// Finds the place of that name; the field must be accessible from the host.
Result<Target> find(SimulationData& data, const std::string& name) {
  const auto place = TRY(api::find_place(data.program(), name));
  TRY(data.check_on_host(place.levels(data.program())));
  return Target{place, &data.state.fields[place.field]};
}

}  // namespace

Status State::set(const std::string& field, const AnyView& array) {
  return api::guarded<Done>([&]() -> Status {
    const auto target = TRY(find(*data_, field));
    auto& [place, values] = target;
    TRY(api::check_array(data_->program(), *values, place, field, array, false));
    Status ready = data_->close_session();
    if (ready.ok()) ready = data_->store(static_cast<size_t>(place.field));
    if (!ready.ok()) return ready;
    api::copy_in(array, place, *values);
    data_->note_filled(place.field, place.component);
    return Done{};
  });
}

Status State::get(const std::string& field, const AnyView& array) {
  return api::guarded<Done>([&]() -> Status {
    const auto target = TRY(find(*data_, field));
    const auto& [place, values] = target;
    TRY(api::check_array(data_->program(), *values, place, field, array, false));
    if (!array.writable()) {
      return Failure{"R073", fmt::format("the array for '{}' is const", field), ""};
    }
    TRY(data_->fetch(place.levels(data_->program())));
    api::copy_out(*values, place, array);
    return Done{};
  });
}

namespace {

// A box of a field and temporary storage for its values.
struct BoxTarget {
  api::Place place;  // within `part`, at level 0
  int level;
  reference::FieldData part;    // with storage for the components of the place
  std::vector<int> components;  // components of the place
};

Result<BoxTarget> find_box(SimulationData& data, const std::string& name, const FieldBox& box,
                           const AnyView& array) {
  const auto target = TRY(find(data, name));
  const auto& [place, values] = target;
  auto part = TRY(api::cut_out(*values, name, box));
  BoxTarget out{place, place.level, std::move(part), {}};
  TRY(api::check_array(data.program(), out.part, place, name, array, false, "the box"));
  out.place.level = 0;
  auto& level = out.part.levels.emplace_back(out.part.types.size());
  for (int c = 0; c < out.part.component_count(); ++c) {
    if (place.component >= 0 && c != place.component) continue;
    out.components.push_back(c);
    level[c] = reference::Buffer(static_cast<size_t>(out.part.size_in_bytes(c)));
  }
  return out;
}

}  // namespace

Status State::get(const std::string& field, const FieldBox& box, const AnyView& array) {
  return api::guarded<Done>([&]() -> Status {
    auto found = TRY(find_box(*data_, field, box, array));
    BoxTarget& target = found;
    if (!array.writable()) {
      return Failure{"R073", fmt::format("the array for '{}' is const", field), ""};
    }
    for (const int c : target.components) {
      TRY(data_->read({target.place.field, target.level, c, target.part.box},
                      target.part.data(0, c)));
    }
    api::copy_out(target.part, target.place, array);
    return Done{};
  });
}

Status State::set(const std::string& field, const FieldBox& box, const AnyView& array) {
  return api::guarded<Done>([&]() -> Status {
    auto found = TRY(find_box(*data_, field, box, array));
    BoxTarget& target = found;
    Status ready = data_->close_session();
    if (ready.ok()) ready = data_->store(static_cast<size_t>(target.place.field));
    if (!ready.ok()) return ready;
    api::copy_in(array, target.place, target.part);
    reference::FieldData& values = data_->state.fields[target.place.field];
    for (const int c : target.components) {
      runtime::put_box(target.part.data(0, c), target.part.box, values.box,
                       size_in_bytes(values.types[c]), values.data(target.level, c));
    }
    data_->note_filled(target.place.field, target.place.component);
    return Done{};
  });
}

Result<Extents> State::shape_of(const std::string& field, const FieldBox& box) const {
  return api::guarded<Extents>([&]() -> Result<Extents> {
    const auto place = TRY(api::find_place(data_->program(), field));
    const auto& values = data_->state.fields[place.field];
    const auto part = TRY(api::cut_out(values, field, box));
    return api::shape_at(data_->program(), part, place);
  });
}

Result<Extents> State::shape_of(const std::string& field) const {
  return api::guarded<Extents>([&]() -> Result<Extents> {
    const auto place = TRY(api::find_place(data_->program(), field));
    const auto& values = data_->state.fields[place.field];
    return api::shape_at(data_->program(), values, place);
  });
}

namespace {

// The params of a run after a float param changed, including those derived from it.
Result<runtime::Params> with_param(const SimulationData& data, size_t param, double value) {
  runtime::Params params{data.state.integer_params, data.state.real_params, data.given};
  params.reals[param] = value;
  params.given[param] = true;
  const ir::Program& program = data.program();
  const auto fault = ir::derive_params(program, params.given, params.integers, params.reals);
  if (fault) return Failure{fault->code, fault->message, fault->hint};
  for (size_t p = 0; p < params.integers.size(); ++p) {
    if (params.integers[p] == data.state.integer_params[p]) continue;
    return Failure{
        "R074",
        fmt::format("param '{}' is derived from it and would be {} instead of {}",
                    program.params[p].name, params.integers[p], data.state.integer_params[p]),
        "an integer is fixed when the run starts"};
  }
  return params;
}

}  // namespace

Status State::set_param(const std::string& name, const ParamValue& value) {
  return api::guarded<Done>([&]() -> Status {
    const auto& params = data_->program().params;
    std::vector<std::string> names = ir::param_names(data_->program());
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return api::unknown("param", name, names);
    const auto index = static_cast<size_t>(found - names.begin());
    if (params[index].folded() || !is_float(params[index].type)) {
      return Failure{"R074",
                     params[index].folded()
                         ? fmt::format("param '{}' is compiled into the code", name)
                         : fmt::format("param '{}' is an integer, fixed when the run starts", name),
                     ""};
    }
    const auto number = TRY(api::real_value(params[index], value.text()));
    const auto derived = TRY(with_param(*data_, index, number));
    const Diagnostics failed = ir::failed_checks(data_->program(), derived.integers, derived.reals);
    if (failed.has_errors()) return api::failure_of(data_->source->source, failed);
    TRY(data_->close_session());
    data_->state.real_params = derived.reals;
    data_->given = derived.given;
    data_->describe_places();
    return Done{};
  });
}

Status State::check_inputs() const {
  return api::guarded<Done>([&] { return data_->check_inputs(); });
}

const std::vector<Failure>& State::warnings() const {
  return data_->warnings;
}
int64_t State::step() const {
  return data_->state.step;
}
bool State::stopped() const {
  return data_->state.stopped;
}
Result<int64_t> State::steps_left() const {
  return api::guarded<int64_t>([&]() -> Result<int64_t> {
    const auto last = TRY(data_->last_step());
    return runtime::steps_left(last, data_->state);
  });
}

Result<std::vector<ReductionValue>> State::reductions() {
  return api::guarded<std::vector<ReductionValue>>([&]() -> Result<std::vector<ReductionValue>> {
    TRY(data_->wait());
    std::vector<int> all(data_->state.reductions.size());
    std::iota(all.begin(), all.end(), 0);
    return data_->reduction_values(all);
  });
}

Result<ReductionValue> State::reduction(const std::string& name) {
  return api::guarded<ReductionValue>([&]() -> Result<ReductionValue> {
    auto all = TRY(reductions());
    std::vector<std::string> names;
    for (ReductionValue& value : all) {
      if (value.name == name) return std::move(value);
      names.push_back(value.name);
    }
    return api::unknown("reduction", name, names);
  });
}

Result<Statistics> State::statistics(const std::string& field) {
  return api::guarded<Statistics>([&]() -> Result<Statistics> {
    const auto target = TRY(find(*data_, field));
    const auto& [place, values] = target;
    if (place.component < 0 || place.level != 0) {
      return Failure{
          "R073",
          fmt::format("statistics need the newest level of one component, but '{}' is not one",
                      field),
          ""};
    }
    TRY(data_->fetch(place.levels(data_->program())));
    const runtime::Statistics s = runtime::statistics_of(*values, place.component);
    return Statistics{s.points, s.nans, s.least, s.greatest, s.mean, s.l2};
  });
}

Result<std::vector<NonFinite>> State::non_finite() {
  return api::guarded<std::vector<NonFinite>>([&]() -> Result<std::vector<NonFinite>> {
    const std::vector<int> newest(data_->state.fields.size(), 1);
    TRY(data_->check_on_host(newest));
    std::vector<runtime::Selection> places;
    for (size_t f = 0; f < data_->state.fields.size(); ++f) {
      for (int c = 0; c < data_->state.fields[f].component_count(); ++c) {
        places.push_back({static_cast<ir::FieldId>(f), 0, c});
      }
    }
    std::vector<runtime::NonFiniteCount> counts;
    TRY(data_->look([&](runtime::FieldSource& fields) -> Status {
      auto found = TRY(fields.count_non_finite(places));
      counts = std::move(found);
      return Done{};
    }));
    std::vector<NonFinite> out;
    for (size_t p = 0; p < places.size(); ++p) {
      const auto& field = data_->state.fields[places[p].field];
      auto found = runtime::non_finite_at(places[p], counts[p], field);
      found.step = found.last_step = data_->state.step;
      if (found.any()) out.push_back(api::described(data_->program(), found));
    }
    return out;
  });
}

namespace api {

NonFinite described(const ir::Program& program, const runtime::NonFinite& found) {
  if (found.reduction) {
    const auto r = static_cast<size_t>(*found.reduction);
    return {program.reductions[r].name,
            found.values,
            found.nans,
            found.infinities,
            {},
            found.step,
            found.last_step};
  }
  const ir::Field& field = program.fields[found.place.field];
  const std::string level = found.place.level > 0 ? fmt::format("@-{}", found.place.level) : "";
  return {field.name + field.components[found.place.component].path + level,
          found.values,
          found.nans,
          found.infinities,
          found.first,
          found.step,
          found.last_step};
}

}  // namespace api

}  // namespace stencil
