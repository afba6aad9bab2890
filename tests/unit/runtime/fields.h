// Fields without a program.
#pragma once

#include <utility>
#include <vector>

#include "compiler/reference/state.h"

namespace stencil::runtime {

// One level of zeros over `box` with components of the given types.
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
