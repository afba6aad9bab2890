#include "runtime/run/non_finite.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "compiler/support/try.h"

namespace stencil::runtime {

NonFinite non_finite_at(const Selection& place, const NonFiniteCount& count,
                        const reference::FieldData& field) {
  NonFinite out{place, {}, field.points, count.nans, count.infinities, {}, 0, 0};
  if (count.first >= 0) out.first = field.point(count.first);
  return out;
}

namespace {

// The components and levels in the outputs, each once.
std::vector<Selection> places_in(const ir::Program& program, const std::vector<Output>& outputs) {
  std::vector<Selection> places;
  for (const Output& output : outputs) {
    for (const Selection& shown : output.selections) {
      const auto components = static_cast<int>(program.fields[shown.field].components.size());
      const int first = std::max(shown.component, 0);
      const int end = shown.component < 0 ? components : shown.component + 1;
      for (int c = first; c < end; ++c) {
        const Selection place{shown.field, shown.level, c};
        if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
      }
    }
  }
  return places;
}

}  // namespace

NonFiniteWatch::NonFiniteWatch(const ir::Program& program, const std::vector<Output>& outputs)
    : program_(program) {
  for (const Selection& place : places_in(program, outputs)) {
    places_.push_back({place, {}, 0, 0, 0, {}, 0, 0});
  }
}

Status NonFiniteWatch::look(FieldSource& fields, const std::vector<Output>& written) {
  const std::vector<Selection> places = places_in(program_, written);
  const auto counts = TRY(fields.count_non_finite(places));
  const reference::State& state = fields.state();
  for (size_t p = 0; p < places.size(); ++p) {
    NonFinite& known = *std::find_if(places_.begin(), places_.end(), [&](const NonFinite& other) {
      return other.place == places[p];
    });
    const auto& field = state.fields[known.place.field];
    NonFinite now = non_finite_at(known.place, counts[p], field);
    now.step = known.any() ? known.step : state.step;
    now.last_step = state.step;
    if (now.any() || !known.any()) known = std::move(now);  // keeps findings in earlier files
  }
  return Done{};
}

Event NonFiniteWatch::watched(Event event, const std::vector<Output>& written) {
  event.action = [this, written, action = std::move(event.action)](FieldSource& fields) {
    const Status done = action(fields);
    return done.ok() ? look(fields, written) : done;
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

// The value of a minimum or maximum over no points. nullopt for sums, products, and fields that are
// not profiles.
std::optional<double> value_of_none(ir::Reducer reducer) {
  if (reducer == ir::Reducer::Min) return std::numeric_limits<double>::infinity();
  if (reducer == ir::Reducer::Max) return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}
std::optional<double> value_of_none(const ir::Program& program, ir::FieldId field) {
  const auto made = ir::reduction_into(program, field);
  if (!made || ir::is_record(program, field)) return std::nullopt;
  return value_of_none(program.reductions[*made].reducer);
}

NonFiniteCount count_without(double expected, const reference::FieldData& field,
                             const Selection& place) {
  NonFiniteCount out;
  for (int64_t p = 0; p < field.points; ++p) {
    const double value = field.real(place.level, place.component, p);
    if (std::isfinite(value) || value == expected) continue;
    ++(std::isnan(value) ? out.nans : out.infinities);
    if (out.first < 0) out.first = p;
  }
  return out;
}

bool is_infinite(const ir::Program& program, const reference::State& state, size_t reduction) {
  const ir::Reduction& made = program.reductions[reduction];
  const reference::ReductionValue& value = state.reductions[reduction];
  return !made.target && value.evaluations > 0 && is_float(value.type) && std::isinf(value.real) &&
         value.real != value_of_none(made.reducer);
}

}  // namespace

// A profile of minima or maxima has an infinity wherever no point was reduced. Such infinities do
// not count. Profiles of this kind are checked value by value here, which is cheap because they are
// small.
Result<std::vector<NonFiniteCount>> FiniteCheck::count(FieldSource& fields,
                                                       const std::vector<Selection>& places) const {
  auto counts = fields.count_non_finite(places);
  if (!counts.ok()) return counts;
  for (size_t p = 0; p < places.size(); ++p) {
    NonFiniteCount& found = counts.value()[p];
    const auto expected = value_of_none(program_, places[p].field);
    if (found.infinities == 0 || !expected) continue;
    TRY(fields.gather(levels_of(std::vector{places[p]}, program_.fields.size())));
    const auto& field = fields.state().fields[places[p].field];
    found = count_without(*expected, field, places[p]);
  }
  return counts;
}

Status FiniteCheck::begin(FieldSource& fields) {
  std::vector<Selection> places;
  for (size_t f = 0; f < program_.fields.size(); ++f) {
    add_components(program_, f, program_.fields[f].history, places);
  }
  const auto counts = TRY(count(fields, places));
  began_finite_ = std::all_of(counts.begin(), counts.end(),
                              [](const NonFiniteCount& count) { return count.first < 0; });
  for (size_t r = 0; r < program_.reductions.size(); ++r) {
    began_finite_ = began_finite_ && !is_infinite(program_, fields.state(), r);
  }
  return Done{};
}

Status FiniteCheck::end(FieldSource& fields) {
  if (!began_finite_) return Done{};
  std::vector<Selection> places;
  for (size_t f = 0; f < program_.fields.size(); ++f) {
    if (ir::changes(program_, static_cast<ir::FieldId>(f))) add_components(program_, f, 1, places);
  }
  const auto counts = TRY(count(fields, places));
  const reference::State& state = fields.state();
  for (size_t p = 0; p < places.size(); ++p) {
    const auto& field = state.fields[places[p].field];
    NonFinite now = non_finite_at(places[p], counts[p], field);
    now.step = now.last_step = state.step;
    if (now.any()) add(std::move(now));
  }
  std::vector<int> all(program_.reductions.size());
  std::iota(all.begin(), all.end(), 0);
  note_reductions(state, all);
  return Done{};
}

void FiniteCheck::note_reductions(const reference::State& state,
                                  const std::vector<int>& evaluated) {
  for (const int r : evaluated) {
    if (!is_infinite(program_, state, static_cast<size_t>(r))) continue;
    add({{}, static_cast<ir::ReductionId>(r), 1, 0, 1, {}, state.step, state.step});
  }
}

void FiniteCheck::note_fields(const std::vector<NonFinite>& written) {
  for (const NonFinite& values : written) {
    const ir::FieldId field = values.place.field;
    if (ir::changes(program_, field) && !value_of_none(program_, field)) add(values);
  }
}

// Adds one entry per component, whatever its level, and one per reduction.
void FiniteCheck::add(NonFinite found) {
  const bool there = std::any_of(found_.begin(), found_.end(), [&](const NonFinite& other) {
    if (found.reduction || other.reduction) return found.reduction == other.reduction;
    return other.place.field == found.place.field && other.place.component == found.place.component;
  });
  if (began_finite_ && !there) found_.push_back(std::move(found));
}

Event FiniteCheck::event() {
  Event event;
  event.at_end = true;
  event.action = [this](FieldSource& fields) { return end(fields); };
  return event;
}

}  // namespace stencil::runtime
