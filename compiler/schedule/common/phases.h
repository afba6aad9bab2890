// Appends the actions of a step phase by phase. This part is the same for all families.
#pragma once

#include <functional>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/common/interface.h"

namespace stencil::schedule {

// Appends a repeat. What `add` appends to the plan becomes its actions, and the time tile that
// `add` gives the plan becomes that of the repeat. `add` may append repeats, too.
void append_repeat(kernel::Plan& plan, int64_t iterations, const std::function<void()>& add);

// Appends the actions of a step to a module without actions, except an exchange of halos. `add` is
// called for each phase in order and appends its actions as for a separate program whose steps are
// the phase's iterations. If the step is cut, phases of several iterations and loops over phases
// become repeats. Reductions within the step go between the phases.
void append_phases(const ir::Program& program, const Interface& interface, kernel::Module& module,
                   const std::function<void(const ir::Phase&)>& add);

}  // namespace stencil::schedule
