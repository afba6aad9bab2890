// Loops over all elements of several rows at once.
#pragma once

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// Replaces for (i = 0; i < n*m; i++) a[i], where other loops access a[i*m + j], by a loop over rows
// and one within rows, in the same order.
void split_into_rows(Pool& pool, Execution& execution);

}  // namespace stencil::lifter
