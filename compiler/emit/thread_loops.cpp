// Turns a GPU kernel into a loop nest. The threads of a block become iterations, so values that a
// thread keeps from one parallel section to the next need an array over the threads.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/emit/loop_nest.h"
#include "compiler/emit/passes.h"
#include "compiler/kernel/thread_uses.h"

namespace stencil::emit {

using namespace kernel;

namespace {

using Prefixes = std::map<BufferId, std::vector<Expr>>;  // indices to put before a buffer's own

class IndexPrefixer {
 public:
  IndexPrefixer(const Prefixes& prefixes, const Kernel& kernel)
      : prefixes_(prefixes), buffers_(&kernel.buffers), threads_x_(kernel.threads[0]) {}

  Body body(Body statements) {
    for (Statement& statement : statements) {
      if (const auto* shuffle = std::get_if<Shuffle>(&statement.kind)) {
        statement = exchange(*shuffle);
      } else {
        std::visit(*this, statement.kind);
      }
    }
    return statements;
  }
  void operator()(Comment&) {}
  void operator()(Let& let) { let.value = expr(let.value); }
  void operator()(Store& store) {
    store.index = index(store.buffer, store.index);
    store.value = expr(store.value);
  }
  void operator()(Copy& copy) {
    copy.to_index = index(copy.to, copy.to_index);
    copy.from_index = index(copy.from, copy.from_index);
  }
  void operator()(CommitCopies&) {}
  void operator()(AwaitCopies&) {}
  void operator()(For& loop) {
    loop.begin = expr(loop.begin);
    loop.end = expr(loop.end);
    loop.body = body(std::move(loop.body));
  }
  void operator()(If& branch) {
    branch.condition = expr(branch.condition);
    branch.then = body(std::move(branch.then));
    branch.otherwise = body(std::move(branch.otherwise));
  }
  void operator()(Threads& threads) { threads.body = body(std::move(threads.body)); }
  void operator()(Barrier&) {}
  void operator()(Shuffle&) {}  // exchange() replaces it
  void operator()(BulkCopies&) {}
  void operator()(AwaitBulk&) {}
  void operator()(Scope& scope) { scope.body = body(std::move(scope.body)); }

 private:
  // All threads' values are in memory, so a thread reads the place of its neighbour.
  Statement exchange(const Shuffle& shuffle) {
    Body moves;
    for (const Shuffle::Move& move : shuffle.moves) {
      std::vector<Expr> from = prefixes_.at(move.from);
      from.back() = neighbour(move.lane, threads_x_);
      for (const Expr& i : move.from_index) from.push_back(i);
      moves.push_back({Store{move.to, index(move.to, move.to_index),
                             load(move.from, from, (*buffers_)[move.from].type)}});
    }
    return {Threads{counted(shuffle.name, shuffle.count, std::move(moves))}};
  }

  std::vector<Expr> index(BufferId buffer, const std::vector<Expr>& own) {
    std::vector<Expr> result;
    const auto prefix = prefixes_.find(buffer);
    if (prefix != prefixes_.end()) result = prefix->second;
    for (const Expr& i : own) result.push_back(expr(i));
    return result;
  }

  Expr expr(const Expr& original) {
    const auto done = done_.find(original.get());
    if (done != done_.end()) return done->second;
    Expr result = original;
    if (const auto* operation = std::get_if<Operation>(&original->kind)) {
      Operation replaced{operation->op, {}};
      for (const Expr& operand : operation->operands) replaced.operands.push_back(expr(operand));
      if (replaced.operands != operation->operands) {
        result = std::make_shared<const ExprNode>(ExprNode{std::move(replaced), original->type});
      }
    } else if (const auto* source = std::get_if<Load>(&original->kind)) {
      std::vector<Expr> replaced = index(source->buffer, source->index);
      if (replaced != source->index) result = load(source->buffer, replaced, original->type);
    }
    return done_[original.get()] = result;
  }

  const Prefixes& prefixes_;
  const std::vector<Buffer>* buffers_;
  int threads_x_;
  std::unordered_map<const ExprNode*, Expr> done_;
};

void drop_barriers(Kernel& kernel) {
  const auto without = [](Statement statement, Body& out) {
    if (!std::holds_alternative<Barrier>(statement.kind)) out.push_back(std::move(statement));
  };
  kernel.body = rewrite_body(std::move(kernel.body), without);
}

// Makes buffers of a thread local to a loop, or gives them a place per thread.
void expand_thread_buffers(Kernel& kernel) {
  const std::map<BufferId, ThreadUse> uses = thread_uses(kernel);
  Prefixes prefixes;
  for (BufferId id = 0; id < static_cast<BufferId>(kernel.buffers.size()); ++id) {
    Buffer& buffer = kernel.buffers[id];
    if (buffer.space != Space::Thread) continue;
    const auto use = uses.find(id);
    buffer.local = use == uses.end() || use->second.can_be_local();
    if (buffer.local) continue;
    std::vector<Expr> extents;
    for (size_t axis = kMaxRank; axis-- > 0;) {
      const int count = kernel.threads[axis];
      if (count == 1) continue;
      extents.push_back(named_integer(count, kernel.thread_counts[axis]));
      prefixes[id].push_back(variable(kThreadNames[axis]));
    }
    buffer.extents.insert(buffer.extents.begin(), extents.begin(), extents.end());
  }
  kernel.body = IndexPrefixer(prefixes, kernel).body(std::move(kernel.body));
}

}  // namespace

Kernel make_thread_loops(Kernel kernel, FreshNames& fresh) {
  drop_barriers(kernel);
  kernel = split_deep_expressions(drop_dead_code(std::move(kernel), fresh), fresh);
  expand_thread_buffers(kernel);
  const auto with_loops = [&](Statement statement, Body& out) {
    if (auto* threads = std::get_if<Threads>(&statement.kind)) {
      LoopNest nest = loop_nest(kernel, std::move(threads->body));
      *threads = {std::move(nest.body), threads->few, std::move(nest.conditions),
                  std::move(nest.loops)};
    }
    out.push_back(std::move(statement));
  };
  kernel.body = rewrite_body(std::move(kernel.body), with_loops);
  kernel.thread_loops = true;
  return kernel;
}

}  // namespace stencil::emit
