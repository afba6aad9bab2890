// Ghost cells that are copies of the other end of an array: periodic dimensions.
#pragma once

#include <map>
#include <optional>

#include "compiler/lift/order.h"
#include "compiler/support/boundary.h"

namespace stencil::lifter {

struct PeriodicDimension {
  Poly low, high;             // the points without ghosts
  std::set<ArrayPart> parts;  // parts whose ghosts are copies
  std::set<ArrayPart> first;  // parts whose ghosts the first step reads before copying them
  int64_t layers = 1;
  BoundaryKind rule = BoundaryKind::Periodic;  // the rule that gives the copies
};

struct PeriodicGhosts {
  std::map<int, PeriodicDimension> dimensions;  // of the grid, by number
};

// Removes the functions that fill ghost cells from `functions`, if each ghost cell that is read
// equals the cell at the other end of the array. Otherwise changes nothing.
PeriodicGhosts take_ghosts(Pool& pool, const Execution& execution, const Shapes& shapes,
                           std::vector<StepFunction>& functions);

}  // namespace stencil::lifter
