// Appends the actions of a step phase by phase. This part is the same for all families.
#pragma once

#include <functional>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/common/interface.h"

namespace stencil::schedule {

// Appends the actions of a step to a module without actions. `add` is called for each phase in
// order and appends its actions as for a separate program whose steps are the phase's iterations.
// If the step is cut, the resulting Plan::time_tile and Plan::tile_sizes move to a kernel::Repeat.
// Reductions within the step go between the phases.
void append_phases(const ir::Program& program, const Interface& interface, kernel::Module& module,
                   const std::function<void(const ir::Phase&)>& add);

}  // namespace stencil::schedule
