// Sources and receivers: statements at positions that come from data or params, not from loops over
// the grid.
#pragma once

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// Whether a store of a step is a record. A record copies values of another array, by step, to an
// array that the step never reads.
bool is_record(const Execution& execution, const Store& store, const std::vector<Nest>& nests);

// Moves statements at points from the nests to Execution::points. Throws Refusal if their order
// matters.
void find_points(Pool& pool, Execution& execution);

// Whether a load in a statement at points reads an array of the grid, not one indexed by point.
bool is_of_grid(const Execution& execution, const PointStatement& statement, X load);

}  // namespace stencil::lifter
