#include "runtime/run/non_finite.h"

#include <algorithm>
#include <iterator>

namespace stencil::runtime {

NonFinite non_finite_at(const Selection& place, const NonFiniteCount& count,
                        const reference::FieldData& field) {
  NonFinite out{place, field.points, count.nans, count.infinities, {}, 0};
  if (count.first >= 0) out.first = field.point(count.first);
  return out;
}

NonFiniteWatch::NonFiniteWatch(const ir::Program& program, const std::vector<Output>& outputs) {
  const auto add = [this](const Selection& place) {
    const bool there = std::any_of(places_.begin(), places_.end(),
                                   [&](const NonFinite& other) { return other.place == place; });
    if (!there) places_.push_back({place, 0, 0, 0, {}, 0});
  };
  for (const Output& output : outputs) {
    for (const Selection& shown : output.selections) {
      const auto components =
          static_cast<int>(program.fields[static_cast<size_t>(shown.field)].components.size());
      const int first = std::max(shown.component, 0);
      const int end = shown.component < 0 ? components : shown.component + 1;
      for (int c = first; c < end; ++c) add({shown.field, shown.level, c});
    }
  }
}

Status NonFiniteWatch::look(FieldSource& fields) {
  std::vector<Selection> places;
  for (const NonFinite& known : places_) places.push_back(known.place);
  const auto counts = fields.count_non_finite(places);
  if (!counts.ok()) return counts.failure();
  const reference::State& state = fields.state();
  for (size_t p = 0; p < places_.size(); ++p) {
    NonFinite& known = places_[p];
    const auto& field = state.fields[static_cast<size_t>(known.place.field)];
    NonFinite now = non_finite_at(known.place, counts.value()[p], field);
    now.step = known.any() ? known.step : state.step;
    known = std::move(now);
  }
  return Done{};
}

Event NonFiniteWatch::watched(Event event) {
  event.action = [this, action = std::move(event.action)](FieldSource& fields) {
    const Status done = action(fields);
    return done.ok() ? look(fields) : done;
  };
  return event;
}

std::vector<NonFinite> NonFiniteWatch::found() const {
  std::vector<NonFinite> out;
  std::copy_if(places_.begin(), places_.end(), std::back_inserter(out),
               [](const NonFinite& place) { return place.any(); });
  return out;
}

namespace {

// Adds the components of floating-point types at the newest `levels` levels.
void add_components(const ir::Program& program, size_t field, int levels,
                    std::vector<Selection>& places) {
  const auto& components = program.fields[field].components;
  for (int level = 0; level < levels; ++level) {
    for (size_t c = 0; c < components.size(); ++c) {
      if (!is_float(components[c].type)) continue;
      places.push_back({static_cast<ir::FieldId>(field), level, static_cast<int>(c)});
    }
  }
}

}  // namespace

Status FiniteCheck::begin(FieldSource& fields) {
  std::vector<Selection> places;
  for (size_t f = 0; f < program_.fields.size(); ++f) {
    add_components(program_, f, program_.fields[f].history, places);
  }
  const auto counts = fields.count_non_finite(places);
  if (!counts.ok()) return counts.failure();
  began_finite_ = std::all_of(counts.value().begin(), counts.value().end(),
                              [](const NonFiniteCount& count) { return count.first < 0; });
  return Done{};
}

Status FiniteCheck::end(FieldSource& fields) {
  found_.clear();
  if (!began_finite_) return Done{};
  std::vector<Selection> places;
  for (size_t f = 0; f < program_.fields.size(); ++f) {
    if (ir::is_written(program_, static_cast<ir::FieldId>(f))) {
      add_components(program_, f, 1, places);
    }
  }
  const auto counts = fields.count_non_finite(places);
  if (!counts.ok()) return counts.failure();
  const reference::State& state = fields.state();
  for (size_t p = 0; p < places.size(); ++p) {
    const auto& field = state.fields[static_cast<size_t>(places[p].field)];
    NonFinite now = non_finite_at(places[p], counts.value()[p], field);
    now.step = state.step;
    if (now.any()) found_.push_back(std::move(now));
  }
  return Done{};
}

Event FiniteCheck::event() {
  Event event;
  event.at_end = true;
  event.action = [this](FieldSource& fields) { return end(fields); };
  return event;
}

}  // namespace stencil::runtime
