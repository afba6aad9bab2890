// Sources and receivers: statements at places that are data or params, not loops over the grid.
#pragma once

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// Whether a store of a step is a record: an array that nobody reads gets, by the step, an element
// of another one.
bool is_record(const Execution& execution, const Store& store, const std::vector<Nest>& nests);

// Takes statements at points out of the nests. Throws Refusal where their order matters.
void find_points(Pool& pool, Execution& execution);

// Whether a load within a statement at points is of an array of the grid, not of one by point.
bool is_of_grid(const Execution& execution, const PointStatement& statement, X load);

}  // namespace stencil::lifter
