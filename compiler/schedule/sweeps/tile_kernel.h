// The kernel of a sweep: a thread per point or per few, which may sweep a column of planes, keep
// operands or partial results of it, and share operands with its block.
#pragma once

#include "compiler/schedule/sweeps/tile.h"

namespace stencil::schedule {

// Adds the kernel, under a name that begins with the module's, and its launch.
void lower_sweep(const Interface& interface, const SweepTile& tile, Names& kernel_names,
                 kernel::Module& module);

}  // namespace stencil::schedule
