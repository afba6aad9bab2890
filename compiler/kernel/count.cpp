// Counting walks a kernel as it would run, using the known variables. The result is a tree: certain
// counts are summed, and unknown loops and conditions are nodes below them. Nodes of one loop or
// condition from several iterations of an enclosing loop are joined.
#include "compiler/kernel/count.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/kernel/walk.h"

namespace stencil::kernel {

namespace {

constexpr int64_t kMostWrittenOut = 64;  // iterations of a loop counted one by one

// Adds `part`, `times` times, and joins its loops and choices with the existing ones.
void join(Count& to, const Count& part, double times) {
  to.threads.add(part.threads, times);
  to.block.add(part.block, times);
  for (const Count::Loop& loop : part.loops) {
    auto same = std::find_if(to.loops.begin(), to.loops.end(), [&](const Count::Loop& other) {
      return other.name == loop.name && other.begin == loop.begin && other.end == loop.end;
    });
    if (same == to.loops.end()) {
      same =
          to.loops.insert(same, {loop.name, loop.begin, loop.end, loop.step, loop.most, {}, 0, 0});
    }
    same->copies += loop.copies;
    same->starts += times * loop.starts;
    join(same->iteration, loop.iteration, times);
  }
  for (const Count::Choice& choice : part.choices) {
    auto same = std::find_if(to.choices.begin(), to.choices.end(), [&](const Count::Choice& other) {
      return other.condition == choice.condition;
    });
    if (same == to.choices.end()) same = to.choices.insert(same, {choice.condition, {}, {}});
    join(same->then, choice.then, times);
    join(same->otherwise, choice.otherwise, times);
  }
}

class Counter {
 public:
  Counter(const Kernel& kernel, const std::vector<NamedConstant>& constants,
          const Environment& known)
      : kernel_(kernel), known_(known) {
    for (const NamedConstant& constant : constants) values_[constant.name] = constant.value;
    for (size_t axis = 0; axis < kMaxRank; ++axis) {
      if (kernel.threads[axis] == 1) values_[kThreadNames[axis]] = 0;
    }
  }

  Count body(const Body& statements) {
    const auto outer = values_;
    const Count around = std::exchange(count_, {});
    for (const Statement& statement : statements) {
      seen_.clear();
      std::visit(*this, statement.kind);
    }
    values_ = outer;
    return std::exchange(count_, around);
  }

  void operator()(const Comment&) {}
  void operator()(const Let& let) {
    expr(let.value);
    const bool integral = is_integer(let.value->type) || let.value->type == Scalar::Bool;
    const auto value = integral ? this->value(let.value) : std::nullopt;
    if (value) values_[let.name] = *value;
  }
  void operator()(const Store& store) {
    for (const Expr& index : store.index) expr(index);
    expr(store.value);
    bytes(store.buffer).written += times_ * size(store.buffer);
  }
  void operator()(const Copy& copy) {
    for (const Expr& index : copy.to_index) expr(index);
    for (const Expr& index : copy.from_index) expr(index);
    bytes(copy.from).read += times_ * copy.count * size(copy.from);
    bytes(copy.to).written += times_ * copy.count * size(copy.to);
  }
  void operator()(const CommitCopies&) {}
  void operator()(const AwaitCopies&) {}
  void operator()(const For& loop) {
    expr(loop.begin);
    expr(loop.end);
    const auto begin = value(loop.begin), end = value(loop.end);
    if (!begin || !end) {
      return join(count_, unknown({loop.name, loop.begin, loop.end, loop.step, {}, {}}, loop.body));
    }
    const int64_t iterations = *begin < *end ? (*end - *begin + loop.step - 1) / loop.step : 0;
    const bool alike = loop.kind == LoopKind::Serial || loop.kind == LoopKind::Rolled;
    if (alike || iterations > kMostWrittenOut) {
      return join(count_, body(loop.body), static_cast<double>(iterations));
    }
    for (int64_t i = *begin; i < *end; i += loop.step) {
      values_[loop.name] = i;
      join(count_, body(loop.body));
    }
    values_.erase(loop.name);
  }
  void operator()(const If& branch) {
    if (const auto holds = value(branch.condition)) {
      return join(count_, body(*holds ? branch.then : branch.otherwise));
    }
    expr(branch.condition);
    tally().branch += times_;
    Count part;
    part.choices.push_back({branch.condition, body(branch.then), body(branch.otherwise)});
    join(count_, part);
  }
  void operator()(const Threads& threads) {
    const Expr condition = all_of(threads.conditions);  // true without conditions
    const auto holds = value(condition);
    if (!holds) {
      expr(condition);
      ++count_.block.branch;
    }
    in_threads_ = true;
    times_ = kernel_.thread_loops ? 1 : static_cast<double>(kernel_.threads.product());
    Count inside = nest(threads, 0);
    in_threads_ = false;
    times_ = 1;
    if (holds && !*holds) return;
    if (holds) return join(count_, inside);
    Count part;
    part.choices.push_back({condition, std::move(inside), {}});
    join(count_, part);
  }
  void operator()(const Barrier&) { ++count_.block.barrier; }
  void operator()(const Shuffle& shuffle) {
    count_.threads.shuffle += static_cast<double>(kernel_.threads.product()) * shuffle.count *
                              static_cast<double>(shuffle.moves.size());
  }
  void operator()(const BulkCopies& bulk) {
    expr(bulk.batch);
    for (const BulkCopy& copy : bulk.copies) {
      const BulkSource& source = kernel_.bulk_sources[copy.source];
      for (const Expr& index : copy.origin) expr(index);
      for (const Expr& index : copy.to_index) expr(index);
      double box = size(copy.to);
      for (int extent : source.box) box *= extent;
      bytes(source.buffer).read += box;
      bytes(copy.to).written += box;
    }
  }
  void operator()(const AwaitBulk& await) {
    expr(await.batch);
    ++count_.block.barrier;
  }
  void operator()(const Scope& scope) { join(count_, body(scope.body)); }

 private:
  static void join(Count& to, const Count& part, double times = 1) {
    kernel::join(to, part, times);
  }

  // The thread loops from index `from` on, outermost first.
  Count nest(const Threads& threads, size_t from) {
    if (from == threads.loops.size()) return body(threads.body);
    const ThreadLoop& loop = threads.loops[from];
    const auto begin = value(loop.begin), end = value(loop.end);
    Count out;
    const Count inner = nest(threads, from + 1);
    if (begin && end) {
      join(out, inner, static_cast<double>(std::max<int64_t>(*end - *begin, 0)));
    } else {
      out.loops.push_back({loop.name, loop.begin, loop.end, 1, loop.most, inner});
    }
    return out;
  }

  Count unknown(Count::Loop loop, const Body& statements) {
    loop.iteration = body(statements);
    Count out;
    out.loops.push_back(std::move(loop));
    return out;
  }

  void expr(const Expr& root) {
    std::vector<Expr> left = {root};
    while (!left.empty()) {
      const Expr node = std::move(left.back());
      left.pop_back();
      if (!seen_.insert(node.get()).second) continue;
      if (const auto* load = std::get_if<Load>(&node->kind)) {
        bytes(load->buffer).read += times_ * size(load->buffer);
        left.insert(left.end(), load->index.begin(), load->index.end());
      }
      const auto* operation = std::get_if<Operation>(&node->kind);
      if (!operation) continue;
      const std::vector<Expr>& operands = operation->operands;
      const auto holds = operation->op == Op::Select ? value(operands[0]) : std::nullopt;
      if (holds) {
        left.push_back(operands[*holds != 0 ? 1 : 2]);
        continue;
      }
      this->operation(*operation, node->type);
      left.insert(left.end(), operands.begin(), operands.end());
    }
  }

  void operation(const Operation& operation, Scalar type) {
    Tally& to = tally();
    if (operation.op == Op::Convert) {
      to.convert += times_;
    } else if (operation.op == Op::Select) {
      to.select += times_;
    } else if (type == Scalar::Bool) {
      to.compare += times_;
    } else if (type == Scalar::F32) {
      add_operation(operation.op, to.single, times_);
    } else if (type == Scalar::F64) {
      add_operation(operation.op, to.real, times_);
    } else {
      to.integer += times_;
    }
  }

  std::optional<int64_t> value(const Expr& expr) const {
    return evaluate(expr, [this](const std::string& name) -> std::optional<int64_t> {
      const auto found = values_.find(name);
      if (found != values_.end()) return found->second;
      return known_ ? known_(name) : std::nullopt;
    });
  }

  Tally& tally() { return in_threads_ ? count_.threads : count_.block; }
  const Buffer& at(BufferId id) const { return kernel_.buffers[id]; }
  Bytes& bytes(BufferId id) { return tally().bytes[static_cast<size_t>(at(id).space)]; }
  double size(BufferId id) const { return static_cast<double>(size_in_bytes(at(id).type)); }

  const Kernel& kernel_;
  const Environment& known_;
  std::map<std::string, int64_t> values_;
  std::set<const ExprNode*> seen_;  // nodes counted in the current statement
  Count count_;                     // of the current body
  bool in_threads_ = false;
  double times_ = 1;  // executions of the current statement
};

}  // namespace

void add_operations(FloatOperations& to, const FloatOperations& other, double times) {
  to.add += times * other.add;
  to.multiply += times * other.multiply;
  to.fma += times * other.fma;
  to.divide += times * other.divide;
  to.root += times * other.root;
  to.function += times * other.function;
  to.simple += times * other.simple;
}

void add_operation(Op op, FloatOperations& to, double times) {
  switch (op) {
    case Op::Add:
    case Op::Sub:
      to.add += times;
      return;
    case Op::Mul:
      to.multiply += times;
      return;
    case Op::Fma:
      to.fma += times;
      return;
    case Op::Div:
    case Op::Mod:
      to.divide += times;
      return;
    case Op::Sqrt:
    case Op::Rsqrt:
      to.root += times;
      return;
    case Op::Neg:
    case Op::Min:
    case Op::Max:
    case Op::Abs:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Trunc:
      to.simple += times;
      return;
    default:
      to.function += times;
  }
}

void Tally::add(const Tally& other, double times) {
  add_operations(single, other.single, times);
  add_operations(real, other.real, times);
  integer += times * other.integer;
  compare += times * other.compare;
  select += times * other.select;
  convert += times * other.convert;
  shuffle += times * other.shuffle;
  branch += times * other.branch;
  barrier += times * other.barrier;
  for (size_t space = 0; space < bytes.size(); ++space) {
    bytes[space].read += times * other.bytes[space].read;
    bytes[space].written += times * other.bytes[space].written;
  }
}

Count Count::total(const Iterations& iterations, const Share& share) const {
  Count out;
  out.threads = threads;
  out.block = block;
  for (const Loop& loop : loops) {
    join(out, loop.iteration.total(iterations, share), iterations(loop));
  }
  for (const Choice& choice : choices) {
    const double part = share(choice);
    join(out, choice.then.total(iterations, share), part);
    join(out, choice.otherwise.total(iterations, share), 1 - part);
  }
  return out;
}

Count count(const Kernel& kernel, const std::vector<NamedConstant>& constants,
            const Environment& known) {
  return Counter(kernel, constants, known).body(kernel.body);
}

}  // namespace stencil::kernel
