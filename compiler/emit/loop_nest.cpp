// Threads as loops that a compiler can vectorise. Two patterns of GPU kernels prevent this.
//
// Threads share the elements of a box by strides: `for (i = thread_x; i < n; i += threads)`.
// Together, the threads execute one loop from 0 to n, which replaces the loop over threads here.
//
// Threads test whether a function computes their point. Such a test compares a shifted loop
// variable with a value that is uniform over the threads, so it becomes a bound of the loop. A test
// of uniform values only moves out of all loops. Tiles inside the grid then run loops of full
// length, tiles at its edges run shorter ones, and no point is tested. Definitions of lets are
// substituted. Other tests stay.
//
// A test that reads only variables of the loops around the innermost one, and memory that the
// kernel does not write, moves out of the innermost loop.
//
// Loops over the points at an edge of the grid are short for every grid size: their bounds differ
// by a constant. Such loops record their largest trip count, because compilers spend as much time
// on them as on long loops.
//
// No new sum overflows: a shift is the position of a tile, and integers leave room for sums of two
// of them (docs/design/kernel-ir.md, "Large grids").
#include "compiler/emit/loop_nest.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/emit/passes.h"
#include "compiler/kernel/passes.h"
#include "compiler/kernel/rewrite.h"

namespace stencil::emit {

using namespace kernel;

namespace {

// A sum: a coefficient for each term that is not a number, and the sum of the numbers.
struct Sum {
  std::map<std::string, int64_t> terms;
  int64_t number = 0;
};

void add_to(Sum& sum, const Expr& expr, int64_t times) {
  if (const auto* literal = std::get_if<IntegerLiteral>(&expr->kind)) {
    sum.number += times * literal->value;
    return;
  }
  const auto* operation = std::get_if<Operation>(&expr->kind);
  if (operation && (operation->op == Op::Add || operation->op == Op::Sub)) {
    add_to(sum, operation->operands[0], times);
    add_to(sum, operation->operands[1], operation->op == Op::Add ? times : -times);
    return;
  }
  sum.terms[kernel::print(expr)] += times;
}

// end - begin, if that is a known number.
std::optional<int64_t> distance(const Expr& begin, const Expr& end) {
  Sum sum;
  add_to(sum, end, 1);
  add_to(sum, begin, -1);
  for (const auto& [term, times] : sum.terms) {
    if (times != 0) return std::nullopt;
  }
  return sum.number;
}

// The operands of nested operations `op`.
void split(const Expr& expr, Op op, std::vector<Expr>& parts) {
  const auto* operation = std::get_if<Operation>(&expr->kind);
  if (!operation || operation->op != op) return parts.push_back(expr);
  for (const Expr& operand : operation->operands) split(operand, op, parts);
}

std::optional<int64_t> most_iterations(const ThreadLoop& loop) {
  std::vector<Expr> begins, ends;
  split(loop.begin, Op::Max, begins);
  split(loop.end, Op::Min, ends);
  std::optional<int64_t> most;
  for (const Expr& begin : begins) {
    for (const Expr& end : ends) {
      const auto length = distance(begin, end);
      if (length && (!most || *length < *most)) most = std::max<int64_t>(*length, 0);
    }
  }
  return most;
}

class NestMaker {
 public:
  NestMaker(const Kernel& kernel, Body body) : kernel_(kernel) {
    nest_.body = std::move(body);
    for (size_t axis = kMaxRank; axis-- > 0;) {
      if (kernel.threads[axis] == 1) continue;
      nest_.loops.push_back({kThreadNames[axis],
                             integer(0),
                             named_integer(kernel.threads[axis], kernel.thread_counts[axis]),
                             {}});
      strides_.push_back(kernel.threads[axis]);
    }
    for (const char* name : kThreadNames) varying_.insert(name);
  }

  LoopNest make() {
    while (lift_condition() || join_strides() || narrow()) {
    }
    nest_.body = drop_dead_code(std::move(nest_.body));  // lets that only moved tests read
    for (ThreadLoop& loop : nest_.loops) loop.most = most_iterations(loop);
    return std::move(nest_);
  }

 private:
  // A value written as the variable of a loop plus a uniform shift.
  struct Shifted {
    std::optional<size_t> loop;  // nullopt: the value is uniform
    Expr shift;
  };

  static std::vector<Statement*> without_comments(Body& body) {
    std::vector<Statement*> out;
    for (Statement& statement : body) {
      if (!std::holds_alternative<Comment>(statement.kind)) out.push_back(&statement);
    }
    return out;
  }

  bool is_uniform(const Expr& expr) const {
    bool uniform = true;
    for_each_node(expr, [&](const Expr& node) {
      if (const auto* v = std::get_if<Variable>(&node->kind)) uniform &= !varying_.count(v->name);
      uniform &= !std::holds_alternative<Load>(node->kind);
    });
    return uniform;
  }

  // Moves a uniform condition on the whole body out of the loops.
  bool lift_condition() {
    const std::vector<Statement*> statements = without_comments(nest_.body);
    auto* branch = statements.size() == 1 ? std::get_if<If>(&statements[0]->kind) : nullptr;
    if (!branch || !branch->otherwise.empty() || !is_uniform(branch->condition)) return false;
    nest_.conditions.push_back(branch->condition);
    Body inner = std::move(branch->then);
    nest_.body = std::move(inner);
    return true;
  }

  // Replaces a thread loop if the whole body is a loop that shares its iterations among these
  // threads.
  bool join_strides() {
    const std::vector<Statement*> statements = without_comments(nest_.body);
    auto* loop = statements.size() == 1 ? std::get_if<For>(&statements[0]->kind) : nullptr;
    if (!loop || !is_uniform(loop->end) || loop->end->type != Scalar::I32) return false;
    const auto* begin = std::get_if<Variable>(&loop->begin->kind);
    if (!begin || variables_in(loop->body).count(begin->name) || keeps_values(loop->body)) {
      return false;
    }
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      if (nest_.loops[i].name != begin->name || strides_[i] != loop->step) continue;
      nest_.loops[i] = {loop->name, integer(0), loop->end, {}};
      strides_[i] = 0;
      varying_.insert(loop->name);
      Body inner = std::move(loop->body);
      nest_.body = std::move(inner);
      return true;
    }
    return false;
  }

  // True if the body accesses per-thread values. These would have to last for all iterations of a
  // thread.
  bool keeps_values(const Body& body) const {
    std::set<BufferId> touched = buffers_loaded(body);
    touched.merge(buffers_stored(body));
    return std::any_of(touched.begin(), touched.end(),
                       [&](BufferId id) { return kernel_.buffers[id].space == Space::Thread; });
  }

  // Turns conditions of the last statement, which only lets precede, into loop bounds.
  bool narrow() {
    const std::vector<Statement*> statements = without_comments(nest_.body);
    lets_.clear();
    for (size_t i = 0; i + 1 < statements.size(); ++i) {
      const auto* let = std::get_if<Let>(&statements[i]->kind);
      if (!let) return false;
      lets_[let->name] = let->value;
    }
    for (const auto& [name, value] : lets_) varying_.insert(name);
    auto* branch = statements.empty() ? nullptr : std::get_if<If>(&statements.back()->kind);
    if (!branch || !branch->otherwise.empty()) return false;
    std::vector<Expr> parts, left;
    split(branch->condition, Op::And, parts);
    for (const Expr& part : parts) {
      // A part may rely on the parts before it, for example to read valid memory.
      const bool moved = same_for_all(part) || bound(part) || (left.empty() && same_for_row(part));
      if (!moved) left.push_back(part);
    }
    if (left.size() == parts.size()) return false;
    if (!left.empty()) {
      branch->condition = all_of(std::move(left));
      return false;
    }
    Body inner = std::move(branch->then);
    nest_.body.erase(std::find_if(nest_.body.begin(), nest_.body.end(), [&](Statement& statement) {
      return &statement == statements.back();
    }));
    nest_.body.insert(nest_.body.end(), std::make_move_iterator(inner.begin()),
                      std::make_move_iterator(inner.end()));
    return true;
  }

  // True if the condition is uniform; it is then moved out of the loops.
  bool same_for_all(const Expr& condition) {
    if (is_uniform(condition)) {
      nest_.conditions.push_back(condition);
      return true;
    }
    const auto* operation = std::get_if<Operation>(&condition->kind);
    if (!operation || operation->operands.size() != 2 || condition->type != Scalar::Bool) {
      return false;
    }
    const auto left = shifted(operation->operands[0]), right = shifted(operation->operands[1]);
    if (!left || !right || left->loop || right->loop) return false;
    nest_.conditions.push_back(kernel::operation(operation->op, {left->shift, right->shift}));
    return true;
  }

  // True if the condition does not depend on the innermost loop; it then guards this loop.
  bool same_for_row(const Expr& condition) {
    if (nest_.loops.empty()) return false;
    Rewriter without_lets([&](const Expr& node) -> Expr {
      const auto* variable = std::get_if<Variable>(&node->kind);
      const auto let = variable ? lets_.find(variable->name) : lets_.end();
      return let == lets_.end() ? nullptr : without_lets.expr(let->second);
    });
    const Expr whole = without_lets.expr(condition);
    ThreadLoop& row = nest_.loops.back();
    bool same = true;
    for_each_node(whole, [&](const Expr& node) {
      if (const auto* source = std::get_if<Load>(&node->kind)) {
        const Buffer& buffer = kernel_.buffers[source->buffer];
        same &= buffer.space == Space::Global && buffer.read_only;
      }
      const auto* variable = std::get_if<Variable>(&node->kind);
      if (!variable || !varying_.count(variable->name)) return;
      same &= std::any_of(nest_.loops.begin(), nest_.loops.end() - 1,
                          [&](const ThreadLoop& loop) { return loop.name == variable->name; });
    });
    if (same) row.condition = row.condition ? all_of({row.condition, whole}) : whole;
    return same;
  }

  // True if the comparison has become a bound.
  bool bound(const Expr& comparison) {
    const auto* operation = std::get_if<Operation>(&comparison->kind);
    if (!operation || operation->operands.size() != 2) return false;
    const auto left = shifted(operation->operands[0]), right = shifted(operation->operands[1]);
    if (!left || !right || !left->loop || right->loop) return false;
    ThreadLoop& loop = nest_.loops[*left->loop];
    int64_t& stride = strides_[*left->loop];
    const Expr value = sub(right->shift, left->shift);
    const auto from = [&](Expr first) {
      loop.begin = kernel::operation(Op::Max, {loop.begin, std::move(first)});
      stride = 0;
    };
    const auto before = [&](Expr end) {
      loop.end = kernel::operation(Op::Min, {loop.end, std::move(end)});
      stride = 0;
    };
    switch (operation->op) {
      case Op::Ge:
        from(value);
        return true;
      case Op::Gt:
        from(add(value, integer(1)));
        return true;
      case Op::Le:
        before(add(value, integer(1)));
        return true;
      case Op::Lt:
        before(value);
        return true;
      case Op::Eq:
        from(value);
        before(add(value, integer(1)));
        return true;
      default:
        return false;
    }
  }

  std::optional<Shifted> shifted(const Expr& expr) const {
    if (expr->type != Scalar::I32) return std::nullopt;
    if (is_uniform(expr)) return Shifted{std::nullopt, expr};
    if (const auto* variable = std::get_if<Variable>(&expr->kind)) {
      for (size_t i = 0; i < nest_.loops.size(); ++i) {
        if (nest_.loops[i].name == variable->name) return Shifted{i, integer(0)};
      }
      const auto let = lets_.find(variable->name);
      if (let == lets_.end()) return std::nullopt;
      return shifted(let->second);
    }
    const auto* operation = std::get_if<Operation>(&expr->kind);
    if (!operation || (operation->op != Op::Add && operation->op != Op::Sub)) return std::nullopt;
    const auto a = shifted(operation->operands[0]), b = shifted(operation->operands[1]);
    if (!a || !b || (b->loop && (a->loop || operation->op == Op::Sub))) return std::nullopt;
    return Shifted{a->loop ? a->loop : b->loop,
                   kernel::operation(operation->op, {a->shift, b->shift})};
  }

  const Kernel& kernel_;
  LoopNest nest_;
  std::vector<int64_t> strides_;      // threads of each loop; 0: no longer over threads
  std::set<std::string> varying_;     // variables that differ between threads
  std::map<std::string, Expr> lets_;  // in the body
};

}  // namespace

LoopNest loop_nest(const Kernel& kernel, Body body) {
  return NestMaker(kernel, std::move(body)).make();
}

}  // namespace stencil::emit
