// The loops that stand in for the threads of a block, where a target has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace stencil::emit {

struct LoopNest {
  struct Loop {  // for (name = begin; name < end; ++name), all I32
    std::string name;
    kernel::Expr begin, end;
    std::optional<int64_t> most;  // iterations at most, where that is known
  };
  std::vector<kernel::Expr>
      conditions;           // on which there is anything to do; the same for all threads
  std::vector<Loop> loops;  // outermost first; those of one iteration are left out
  kernel::Body body;
};

// What the threads of the kernel's blocks do in `body`, a Threads statement's. In any order: no
// thread of a section depends on another.
LoopNest loop_nest(const kernel::Kernel& kernel, kernel::Body body);

}  // namespace stencil::emit
