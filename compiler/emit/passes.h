// The passes of legalise(): from kernel to kernel, each for what some targets lack or ask for.
#pragma once

#include "compiler/kernel/walk.h"

namespace stencil::emit {

// --- Memory and threads (expand.cpp)
// ----------------------------------------------------------------------------------------------

// For targets with implicit threads but without shuffles: every Shuffle goes through shared memory,
// between two barriers.
kernel::Kernel expand_shuffles(kernel::Kernel kernel, kernel::FreshNames& fresh);

// For targets without copies that run on their own: async ones are made at once, and not awaited.
kernel::Kernel expand_async_copies(kernel::Kernel kernel, kernel::FreshNames& fresh);

// For targets without vector accesses: every Copy, none async, moves its elements one by one.
kernel::Kernel expand_copies(kernel::Kernel kernel, kernel::FreshNames& fresh);

// For targets without bulk copies: the threads of a block share the elements of every box among
// them, where the copies begin, and an AwaitBulk is a barrier.
kernel::Kernel expand_bulk_copies(kernel::Kernel kernel, kernel::FreshNames& fresh);

// With loops in place of the initialisers of a thread's large arrays. Compilers built on LLVM leave
// an array in memory, however constant its indices, whose initialiser they made a loop of: NVVM did
// so with kernels that hold 240 registers else (CUDA 13.0).
kernel::Kernel zero_by_loops(kernel::Kernel kernel, kernel::FreshNames& fresh);

// --- Threads as loops (thread_loops.cpp)
// ----------------------------------------------------------------------------------------------

// Without barriers, as each loop ends before the next begins.
kernel::Kernel drop_barriers(kernel::Kernel kernel, kernel::FreshNames& fresh);

// Buffers of threads that one Threads statement alone uses are local to its loops, others get a
// place per thread. A Shuffle then reads its neighbour's place.
kernel::Kernel expand_thread_buffers(kernel::Kernel kernel, kernel::FreshNames& fresh);

// Every Threads statement gets its loops (loop_nest.h).
kernel::Kernel make_thread_loops(kernel::Kernel kernel, kernel::FreshNames& fresh);

// --- What no C compiler likes (tidy.cpp)
// ----------------------------------------------------------------------------------------------

// Without lets that nothing reads (compilers warn about them) and statements that do nothing.
kernel::Kernel drop_dead_code(kernel::Kernel kernel, kernel::FreshNames& fresh);
// The same of a body that nothing behind it reads the names of.
kernel::Body drop_dead_code(kernel::Body body);

// With expressions that nest deeper in parentheses than compilers accept split into named parts.
kernel::Kernel split_deep_expressions(kernel::Kernel kernel, kernel::FreshNames& fresh);

// --- What they share
// ----------------------------------------------------------------------------------------------

// The body for name = 0 .. count-1; for one alone without a loop.
kernel::Body counted(const std::string& name, int count, kernel::Body body);

// thread_x + lane, or thread_x where the row ends before.
kernel::Expr neighbour(int lane, int threads_x);

// Rewrites every body, innermost first; `change` gets each statement and appends what replaces it.
template <class Change>
kernel::Body rewrite_body(kernel::Body body, const Change& change) {
  kernel::Body out;
  for (kernel::Statement& statement : body) {
    if (auto* loop = std::get_if<kernel::For>(&statement.kind)) {
      loop->body = rewrite_body(std::move(loop->body), change);
    } else if (auto* branch = std::get_if<kernel::If>(&statement.kind)) {
      branch->then = rewrite_body(std::move(branch->then), change);
      branch->otherwise = rewrite_body(std::move(branch->otherwise), change);
    } else if (auto* threads = std::get_if<kernel::Threads>(&statement.kind)) {
      threads->body = rewrite_body(std::move(threads->body), change);
    } else if (auto* scope = std::get_if<kernel::Scope>(&statement.kind)) {
      scope->body = rewrite_body(std::move(scope->body), change);
    }
    change(std::move(statement), out);
  }
  return out;
}

}  // namespace stencil::emit
