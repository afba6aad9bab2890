// Sums, minima and maxima of an execution, as items of a step.
#pragma once

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// Finds the reductions needed by stores, the stop condition and final scalars, determines their
// position in the step and replaces them by XKind::Reduced. Throws Refusal.
void find_reductions(Pool& pool, Execution& execution);

}  // namespace stencil::lifter
