#include "compiler/kernel/thread_uses.h"

#include <set>

#include "compiler/kernel/walk.h"

namespace stencil::kernel {

namespace {

void count_uses(const Kernel& kernel, const Body& body, bool in_loop,
                std::map<BufferId, ThreadUse>& uses) {
  struct Count {
    const Kernel& kernel;
    bool in_loop;
    std::map<BufferId, ThreadUse>& uses;
    void operator()(const Comment&) const {}
    void operator()(const Let&) const {}
    void operator()(const Store&) const {}
    void operator()(const Copy&) const {}
    void operator()(const CommitCopies&) const {}
    void operator()(const AwaitCopies&) const {}
    void operator()(const For& loop) const { count_uses(kernel, loop.body, true, uses); }
    void operator()(const If& branch) const {
      count_uses(kernel, branch.then, in_loop, uses);
      count_uses(kernel, branch.otherwise, in_loop, uses);
    }
    void operator()(const Threads& threads) const {
      std::set<BufferId> touched = buffers_loaded(threads.body);
      touched.merge(buffers_stored(threads.body));
      for (BufferId buffer : touched) {
        ++uses[buffer].sections;
        uses[buffer].repeated |= in_loop;
        if (kernel.buffers[buffer].space == Space::Thread) {
          uses[buffer].outlives |= may_read_earlier_value(kernel, threads.body, buffer);
        }
      }
    }
    void operator()(const Barrier&) const {}
    void operator()(const Shuffle& shuffle) const {  // reads values of other threads
      for (const Shuffle::Move& move : shuffle.moves) {
        for (const BufferId buffer : {move.to, move.from}) {
          uses[buffer].sections += 2;
          uses[buffer].outlives = true;
        }
      }
    }
    void operator()(const BulkCopies&) const {}
    void operator()(const AwaitBulk&) const {}
    void operator()(const Scope& scope) const { count_uses(kernel, scope.body, in_loop, uses); }
  };
  for (const Statement& statement : body) std::visit(Count{kernel, in_loop, uses}, statement.kind);
}

}  // namespace

std::map<BufferId, ThreadUse> thread_uses(const Kernel& kernel) {
  std::map<BufferId, ThreadUse> uses;
  count_uses(kernel, kernel.body, false, uses);
  return uses;
}

}  // namespace stencil::kernel
