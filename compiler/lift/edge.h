// Subscripts that bend at the ends of an array: (i + 1) % n, max(i - 1, 0), i == 0 ? 1 : i - 1.
#pragma once

#include <optional>

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// The Edge that `x` is, an integer of one counter, which runs over `domain`: what the boundary rule
// "periodic", "clamp", "mirror" or "symmetric" makes of the counter plus a constant, in a dimension
// as long as the domain (or the divisor) says. Null: it is none.
X edge_of(Pool& pool, X x, X index, const Domain& domain);

}  // namespace stencil::lifter
