// Loops over all elements of several rows at once.
#pragma once

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// for (i = 0; i < n*m; i++) a[i], where other loops have a[i*m + j]: one loop over the rows and one
// within them, in the same order.
void split_into_rows(Pool& pool, Execution& execution);

}  // namespace stencil::lifter
