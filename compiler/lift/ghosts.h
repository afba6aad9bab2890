// Ghost cells that are copies from the other end of an array: periodic dimensions.
#pragma once

#include <map>
#include <optional>

#include "compiler/lift/order.h"

namespace stencil::lifter {

struct PeriodicDimension {
  Poly low, high;        // the points that are no ghosts
  std::set<Part> parts;  // whose ghosts are copies
  std::set<Part> first;  // whose ghosts the first step reads before it copies them
  int64_t layers = 1;
};

struct PeriodicGhosts {
  std::map<int, PeriodicDimension> dimensions;  // of the grid, by number
};

// Takes the functions that fill ghost cells out of `functions`, where all that is read from these
// cells is what the other end has. Else nothing is changed.
PeriodicGhosts take_ghosts(Pool& pool, const Execution& execution, const Shapes& shapes,
                           std::vector<StepFunction>& functions);

}  // namespace stencil::lifter
