// Subscripts that follow a boundary rule at the ends of an array, such as (i + 1) % n, max(i - 1,
// 0) and i == 0 ? 1 : i - 1.
#pragma once

#include <optional>

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// Rewrites `x`, an integer expression of the counter `index` over `domain`, as an Edge: a boundary
// rule that gives the value at another index, such as "periodic" or "clamp", applied to the counter
// plus a constant. The length in the rule is the length of the domain, or the divisor of a
// remainder. Returns null if no rule matches.
X edge_of(Pool& pool, X x, X index, const Domain& domain);

}  // namespace stencil::lifter
