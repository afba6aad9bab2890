// Sums and extremes of an execution, as items of a step.
#pragma once

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// Finds the reductions that stores, the end of the time loop and scalars behind it need, says where
// in the step each of them stands, and puts XKind::Reduced in their places. Throws Refusal.
void find_reductions(Pool& pool, Execution& execution);

}  // namespace stencil::lifter
