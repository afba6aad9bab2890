// What a program chooses from, for threads that are loops.
#pragma once

#include "compiler/ir/program.h"

namespace stencil::ir {

// Gives a name to what a select chooses from, if it is computed at every point and has none: both
// values are then computed ahead of the choice, and the choice is an instruction. Written as
// operands of `?:` they are branches, of which compilers make switches where the conditions compare
// one value with several constants, and LLVM 19 makes no vectors of a loop with a switch in it. No
// value changes.
Program with_named_choices(const Program& program);

}  // namespace stencil::ir
