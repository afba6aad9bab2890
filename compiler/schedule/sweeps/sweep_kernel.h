// Kernels of sweeps: a launch per stencil function.
#pragma once

#include <vector>

#include "compiler/schedule/sweeps/tile.h"

namespace stencil::schedule {

// A kernel and a launch for each sweep, in order, with the copies and turns that they need.
void append_sweeps(const Interface& interface, const std::vector<SweepTile>& sweeps,
                   kernel::Module& module);
// Adds the traffic of the sweeps: each reads every field level it uses once and writes its target
// once.
void count_sweeps(const ir::Program& program, const std::vector<Sweep>& sweeps, Footprint& out);

}  // namespace stencil::schedule
