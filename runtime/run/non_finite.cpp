#include "runtime/run/non_finite.h"

#include <algorithm>

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

}  // namespace stencil::runtime
