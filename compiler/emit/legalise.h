// Rewrites of a kernel before it is printed: what a target lacks, and what no C compiler likes.
#pragma once

#include <set>

#include "compiler/emit/names.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

// Without lets that nothing reads (compilers warn about them) and statements that do nothing.
kernel::Kernel drop_dead_code(kernel::Kernel kernel);
// The same of a body that nothing behind it reads the names of.
kernel::Body drop_dead_code(kernel::Body body);

// With expressions that nest deeper in parentheses than compilers accept split into named parts.
kernel::Kernel split_deep_expressions(kernel::Kernel kernel, Names& names);

// For targets with implicit threads but without shuffles: every Shuffle goes through shared memory,
// between two barriers.
kernel::Kernel expand_shuffles(kernel::Kernel kernel, Names& names);

// For targets without vector accesses: every Copy moves its elements one by one, at once.
kernel::Kernel expand_copies(kernel::Kernel kernel, Names& names);

// For targets without bulk copies: the threads of a block share the elements of every box among
// them, where the copies begin, and an AwaitBulk is a barrier.
kernel::Kernel expand_bulk_copies(kernel::Kernel kernel, Names& names);

// For targets where Threads become loops. A Shuffle then reads its neighbour's place. A per-thread
// buffer that lives in one Threads statement only is declared inside its loops (`local`); the
// others get leading dimensions, a place per thread.
struct ThreadLoops {
  kernel::Kernel kernel;
  std::set<kernel::BufferId> local;
};
ThreadLoops expand_thread_buffers(kernel::Kernel kernel);

}  // namespace stencil::emit
