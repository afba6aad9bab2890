// How Threads statements use the buffers of a kernel. Where threads are loops, a per-thread buffer
// can be local to a loop, or needs a place for each thread.
#pragma once

#include <map>

#include "compiler/kernel/kernel.h"

namespace stencil::kernel {

struct ThreadUse {
  int sections = 0;       // Threads statements that access the buffer
  bool repeated = false;  // one of them is in a loop
  bool outlives = false;  // one of them may read a value from an earlier one

  // Whether no value passes from one execution of a Threads statement to another.
  bool can_be_local() const { return !outlives || (sections == 1 && !repeated); }
};

// By buffer; buffers that no Threads statement accesses are missing.
std::map<BufferId, ThreadUse> thread_uses(const Kernel& kernel);

}  // namespace stencil::kernel
