// Turns sums, minima and maxima of an execution into items of a step.
#pragma once

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// Finds the reductions that stores, the stop condition and final scalars need. Determines their
// positions in the step and replaces them by XKind::Reduced. Throws Refusal.
void find_reductions(Pool& pool, Execution& execution);

}  // namespace stencil::lifter
