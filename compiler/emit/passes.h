// The passes of legalise(): each rewrites kernels for targets that lack a feature.
#pragma once

#include "compiler/kernel/walk.h"

namespace stencil::emit {

// --- Memory and threads (expand.cpp)

// For targets with implicit threads but without shuffles: every Shuffle goes through shared memory,
// with two barriers.
kernel::Kernel expand_shuffles(kernel::Kernel kernel, kernel::FreshNames& fresh);

// For targets without async copies: they become synchronous, and waits are removed.
kernel::Kernel expand_async_copies(kernel::Kernel kernel, kernel::FreshNames& fresh);

// For targets without vector accesses: every Copy moves its elements one by one. No Copy may be
// async.
kernel::Kernel expand_copies(kernel::Kernel kernel, kernel::FreshNames& fresh);

// For targets without bulk copies: the threads of a block copy the elements of every box where the
// bulk copy begins, and an AwaitBulk becomes a barrier.
kernel::Kernel expand_bulk_copies(kernel::Kernel kernel, kernel::FreshNames& fresh);

// Unrolls loops whose counters decide conditions around barriers, and evaluates these conditions,
// for compilers that duplicate the code after a conditional barrier (barrier_loops.cpp).
kernel::Kernel write_out_barrier_loops(kernel::Kernel kernel, kernel::FreshNames& fresh);

// Zeroes large per-thread arrays by loops instead of initialisers. LLVM-based compilers turn such
// an initialiser into a loop, and then keep the array in memory even if all indices are constant.
// NVVM does this to kernels that otherwise use 240 registers (CUDA 13.0).
kernel::Kernel zero_by_loops(kernel::Kernel kernel, kernel::FreshNames& fresh);

// --- Threads as loops (thread_loops.cpp)

// Gives every Threads statement its loops (loop_nest.h), after dropping barriers and tidying what
// is left: each loop ends before the next begins. Per-thread buffers that carry no value from one
// Threads statement to another become local to its loops; others get a place per thread. A Shuffle
// then reads the place of its neighbour. This is one pass, because a kernel without barriers is
// invalid until its threads are loops.
kernel::Kernel make_thread_loops(kernel::Kernel kernel, kernel::FreshNames& fresh);

// --- Tidying for C compilers (tidy.cpp)

// Removes lets that nothing reads (compilers warn about them) and statements without effect.
kernel::Kernel drop_dead_code(kernel::Kernel kernel, kernel::FreshNames& fresh);
// Does this for a body. Statements after the body must not read names that it defines.
kernel::Body drop_dead_code(kernel::Body body);

// Splits expressions that nest parentheses deeper than compilers accept into named parts.
kernel::Kernel split_deep_expressions(kernel::Kernel kernel, kernel::FreshNames& fresh);

// --- Shared functions

// The body for name = 0 .. count-1; without a loop if count is 1.
kernel::Body counted(const std::string& name, int count, kernel::Body body);

// thread_x + lane, or thread_x if that is outside the row.
kernel::Expr neighbour(int lane, int threads_x);

// Rewrites every body, innermost first; `change` gets each statement and appends its replacement.
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
