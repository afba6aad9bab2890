// Kernels of sweeps, one launch per stencil function. A thread may sweep a column of planes, keep
// operands or partial results, and share operands within its block.
#pragma once

#include <vector>

#include "compiler/schedule/sweeps/tile.h"

namespace stencil::schedule {

// Appends a kernel and a launch for each sweep, in order, including the required copies and
// rotations.
void append_sweeps(const Interface& interface, const std::vector<SweepTile>& sweeps,
                   kernel::Module& module);

}  // namespace stencil::schedule
