// Kernels of sweeps, a launch per stencil function: a thread per point or per few, which may sweep
// a column of planes, keep operands or partial results of it, and share operands with its block.
#pragma once

#include <vector>

#include "compiler/schedule/sweeps/tile.h"

namespace stencil::schedule {

// A kernel and a launch for each sweep, in order, with the copies and turns that they need.
void append_sweeps(const Interface& interface, const std::vector<SweepTile>& sweeps,
                   kernel::Module& module);

}  // namespace stencil::schedule
