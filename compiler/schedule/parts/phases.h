// The actions of a step, phase by phase: what all schedules have in common there, and therefore no
// family's business.
#pragma once

#include <functional>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/parts/interface.h"

namespace stencil::schedule {

// Appends the actions of a step to a module that has none yet. `add` does so for a phase, given in
// order, as for a program of its own, whose tiles are of iterations: what it says of them
// (Plan::time_tile, Plan::tile_sizes) becomes that of a kernel::Repeat, unless nothing cuts the
// step. The reductions in the step come between the phases.
void append_phases(const ir::Program& program, const Interface& interface, kernel::Module& module,
                   const std::function<void(const ir::Phase&)>& add);

}  // namespace stencil::schedule
