// Lists of shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/support/shape.h"

namespace stencil::schedule {

// Allowed shapes: lengths per axis, x first (the last list applies to all further axes), and
// maximum products over all axes and from z on.
struct ShapeRules {
  std::vector<std::vector<int>> lengths;
  int64_t most = 1, most_from_z = 1;
};
// All shapes of `rank` axes, by size.
std::vector<Shape> shapes_of(int rank, const ShapeRules& rules);

}  // namespace stencil::schedule
