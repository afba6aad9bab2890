// Loops over all elements of several rows at once.
#pragma once

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// Splits for (i = 0; i < n*m; i++) a[i] into a loop over rows and a loop within rows, in the same
// order. Requires that other loops access a[i*m + j].
void split_into_rows(Pool& pool, Execution& execution);

}  // namespace stencil::lifter
