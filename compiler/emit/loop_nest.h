// Replaces the threads of a block by loops, for targets without threads.
#pragma once

#include <vector>

#include "compiler/kernel/kernel.h"

namespace stencil::emit {

struct LoopNest {
  std::vector<kernel::Expr> conditions;   // the loops run only if all of these hold
  std::vector<kernel::ThreadLoop> loops;  // outermost first, without those of one iteration
  kernel::Body body;
};

// The loop nest for `body`, the body of a Threads statement of the kernel. Iterations may run in
// any order: no thread of a section depends on another.
LoopNest loop_nest(const kernel::Kernel& kernel, kernel::Body body);

}  // namespace stencil::emit
