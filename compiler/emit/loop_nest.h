// The loops that stand in for the threads of a block, where a target has none.
#pragma once

#include <vector>

#include "compiler/kernel/kernel.h"

namespace stencil::emit {

struct LoopNest {
  std::vector<kernel::Expr> conditions;   // on which there is anything to do
  std::vector<kernel::ThreadLoop> loops;  // outermost first; those of one iteration are left out
  kernel::Body body;
};

// What the threads of the kernel's blocks do in `body`, a Threads statement's. In any order: no
// thread of a section depends on another.
LoopNest loop_nest(const kernel::Kernel& kernel, kernel::Body body);

}  // namespace stencil::emit
