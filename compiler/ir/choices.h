// Rewrites selections for targets whose threads are loops (C++), so that loops vectorize.
#pragma once

#include "compiler/ir/program.h"

namespace stencil::ir {

// Names the operands of each select that are computed per point and have no name. The emitter then
// computes both values before the selection, which becomes a select instruction. Without names the
// operands would be written inside `?:` and become branches. Compilers turn such branches into a
// switch if the conditions compare one value with several constants, and LLVM 19 does not vectorize
// a loop that contains a switch. No value changes.
Program with_named_choices(const Program& program);

}  // namespace stencil::ir
