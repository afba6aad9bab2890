// Sides with the rule `fixed`: the edge point has a given value, which stencil functions and
// initial values store there. Lowering makes pieces for it (ir/lower/fixed_edges.h).
#pragma once

#include "compiler/sema/targets.h"

namespace stencil::sema {

// Checks the fixed edge points that `function` must store although none of its pieces contains
// them: which they are (S049), and that their values can be computed there. `function` follows the
// functions of the program.
void check_fixed_edges(Environment& env, const Targets& targets, const ir::Function& function);

// S092 for fields with fixed sides that no stencil function writes.
void check_fixed_fields(Environment& env);

}  // namespace stencil::sema
