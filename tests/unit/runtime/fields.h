// Makes fields that belong to no program.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "compiler/reference/state.h"

namespace stencil::runtime {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One level over `box`, all zero, with components of the given types.
inline reference::FieldData make_field(reference::ConcreteBox box, std::vector<Scalar> types) {
  reference::FieldData field;
  field.box = std::move(box);
  field.points = *reference::count_points(field.box);
  for (const auto& [low, high] : field.box) field.extents.push_back(high - low + 1);
  field.types = std::move(types);
  field.levels.resize(1);
  for (int c = 0; c < field.component_count(); ++c) {
    field.levels[0].emplace_back(static_cast<size_t>(field.size_in_bytes(c)));
  }
  return field;
}

}  // namespace stencil::runtime
