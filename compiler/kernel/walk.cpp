// Traversal of kernel bodies. The visitors spell out every alternative, so that a new kind of
// statement or expression fails to compile here first. Expressions are graphs with shared nodes.
// Each node is visited once, which keeps a walk linear even if the printed form would be
// exponential.
#include "compiler/kernel/walk.h"

#include <unordered_set>

#include "compiler/support/work.h"

namespace stencil::kernel {

void for_each_statement(const Body& body, const std::function<void(const Statement&)>& visit) {
  struct Nested {
    const std::function<void(const Statement&)>& visit;
    void operator()(const Comment&) const {}
    void operator()(const Let&) const {}
    void operator()(const Store&) const {}
    void operator()(const Copy&) const {}
    void operator()(const CommitCopies&) const {}
    void operator()(const AwaitCopies&) const {}
    void operator()(const For& loop) const { for_each_statement(loop.body, visit); }
    void operator()(const If& branch) const {
      for_each_statement(branch.then, visit);
      for_each_statement(branch.otherwise, visit);
    }
    void operator()(const Threads& threads) const { for_each_statement(threads.body, visit); }
    void operator()(const Barrier&) const {}
    void operator()(const Shuffle&) const {}
    void operator()(const BulkCopies&) const {}
    void operator()(const AwaitBulk&) const {}
    void operator()(const Scope& scope) const { for_each_statement(scope.body, visit); }
  };
  for (const Statement& statement : body) {
    support::count_work();
    visit(statement);
    std::visit(Nested{visit}, statement.kind);
  }
}

void for_each_expression(const Statement& statement,
                         const std::function<void(const Expr&)>& visit) {
  struct Direct {
    const std::function<void(const Expr&)>& visit;
    void operator()(const Comment&) const {}
    void operator()(const Let& let) const { visit(let.value); }
    void operator()(const Store& store) const {
      for (const Expr& index : store.index) visit(index);
      visit(store.value);
    }
    void operator()(const Copy& copy) const {
      for (const Expr& index : copy.to_index) visit(index);
      for (const Expr& index : copy.from_index) visit(index);
    }
    void operator()(const CommitCopies&) const {}
    void operator()(const AwaitCopies&) const {}
    void operator()(const For& loop) const {
      visit(loop.begin);
      visit(loop.end);
    }
    void operator()(const If& branch) const { visit(branch.condition); }
    void operator()(const Threads& threads) const {
      for (const Expr& condition : threads.conditions) visit(condition);
      for (const ThreadLoop& loop : threads.loops) {
        visit(loop.begin);
        visit(loop.end);
        if (loop.condition) visit(loop.condition);
      }
    }
    void operator()(const Barrier&) const {}
    void operator()(const Shuffle& shuffle) const {
      for (const Shuffle::Move& move : shuffle.moves) {
        for (const Expr& index : move.to_index) visit(index);
        for (const Expr& index : move.from_index) visit(index);
      }
    }
    void operator()(const BulkCopies& bulk) const {
      visit(bulk.batch);
      for (const BulkCopy& copy : bulk.copies) {
        for (const Expr& index : copy.origin) visit(index);
        for (const Expr& index : copy.to_index) visit(index);
      }
    }
    void operator()(const AwaitBulk& await) const { visit(await.batch); }
    void operator()(const Scope&) const {}
  };
  std::visit(Direct{visit}, statement.kind);
}

namespace {

void walk(const Expr& expr, std::unordered_set<const ExprNode*>& seen,
          const std::function<void(const Expr&)>& visit) {
  if (!expr || !seen.insert(expr.get()).second) return;
  struct Operands {
    std::unordered_set<const ExprNode*>& seen;
    const std::function<void(const Expr&)>& visit;
    void operator()(const IntegerLiteral&) const {}
    void operator()(const RealLiteral&) const {}
    void operator()(const Variable&) const {}
    void operator()(const Operation& operation) const {
      for (const Expr& operand : operation.operands) walk(operand, seen, visit);
    }
    void operator()(const Load& load) const {
      for (const Expr& index : load.index) walk(index, seen, visit);
    }
  };
  std::visit(Operands{seen, visit}, expr->kind);
  visit(expr);
}

}  // namespace

void for_each_node(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  std::unordered_set<const ExprNode*> seen;
  walk(expr, seen, visit);
}

void for_each_node(const Body& body, const std::function<void(const Expr&)>& visit) {
  std::unordered_set<const ExprNode*> seen;
  for_each_statement(body, [&](const Statement& statement) {
    for_each_expression(statement, [&](const Expr& expr) { walk(expr, seen, visit); });
  });
}

std::map<std::string, int> binders_in(const Body& body) {
  std::map<std::string, int> count;
  for_each_statement(body, [&](const Statement& statement) {
    if (const auto* let = std::get_if<Let>(&statement.kind)) ++count[let->name];
    if (const auto* loop = std::get_if<For>(&statement.kind)) ++count[loop->name];
    if (const auto* shuffle = std::get_if<Shuffle>(&statement.kind)) ++count[shuffle->name];
    if (const auto* threads = std::get_if<Threads>(&statement.kind)) {
      for (const ThreadLoop& loop : threads->loops) ++count[loop.name];
    }
  });
  return count;
}

std::set<std::string> names_in(const Kernel& kernel) {
  std::set<std::string> names = {kernel.name};
  for (const Buffer& buffer : kernel.buffers) names.insert(buffer.name);
  for (const ScalarArgument& scalar : kernel.scalars) names.insert(scalar.name);
  for (const BulkSource& source : kernel.bulk_sources) names.insert(source.name);
  for (const auto& [name, count] : binders_in(kernel.body)) names.insert(name);
  return names;
}

std::set<std::string> names_in(const Module& module) {
  std::set<std::string> names = {module.name};
  for (const NamedConstant& constant : module.constants) names.insert(constant.name);
  for (const Kernel& kernel : module.kernels) names.merge(names_in(kernel));
  for (const Array& array : module.plan.arrays) names.insert(array.name);
  for (const Parameter& parameter : module.plan.parameters) names.insert(parameter.name);
  for (const Scratch& scratch : module.plan.scratch) names.insert(scratch.name);
  for (const Reduction& reduction : module.plan.reductions) names.insert(reduction.name);
  names.insert(kThreadNames.begin(), kThreadNames.end());
  return names;
}

FreshNames::FreshNames(const Module& module) : taken_(names_in(module)) {}

std::string FreshNames::operator()(const std::string& base) {
  std::string name = base;
  for (int number = 2; !taken_.insert(name).second; ++number) {
    name = base + "_" + std::to_string(number);
  }
  return name;
}

template <class Code>
static std::set<std::string> variables_of(const Code& code) {
  std::set<std::string> names;
  for_each_node(code, [&](const Expr& node) {
    if (const auto* variable = std::get_if<Variable>(&node->kind)) names.insert(variable->name);
  });
  return names;
}
std::set<std::string> variables_in(const Expr& expr) {
  return variables_of(expr);
}
std::set<std::string> variables_in(const Body& body) {
  return variables_of(body);
}

std::set<BufferId> buffers_loaded(const Body& body) {
  std::set<BufferId> buffers;
  for_each_node(body, [&](const Expr& node) {
    if (const auto* load = std::get_if<Load>(&node->kind)) buffers.insert(load->buffer);
  });
  for_each_statement(body, [&](const Statement& statement) {
    if (const auto* copy = std::get_if<Copy>(&statement.kind)) buffers.insert(copy->from);
    if (const auto* shuffle = std::get_if<Shuffle>(&statement.kind)) {
      for (const Shuffle::Move& move : shuffle->moves) buffers.insert(move.from);
    }
  });
  return buffers;
}

std::set<BufferId> buffers_stored(const Body& body) {
  std::set<BufferId> buffers;
  for_each_statement(body, [&](const Statement& statement) {
    if (const auto* store = std::get_if<Store>(&statement.kind)) buffers.insert(store->buffer);
    if (const auto* copy = std::get_if<Copy>(&statement.kind)) buffers.insert(copy->to);
    if (const auto* shuffle = std::get_if<Shuffle>(&statement.kind)) {
      for (const Shuffle::Move& move : shuffle->moves) buffers.insert(move.to);
    }
    if (const auto* bulk = std::get_if<BulkCopies>(&statement.kind)) {
      for (const BulkCopy& copy : bulk->copies) buffers.insert(copy.to);
    }
  });
  return buffers;
}

namespace {

// Follows one buffer of one element through a body.
class ValueFlow {
 public:
  explicit ValueFlow(BufferId buffer) : buffer_(buffer) {}

  // Whether a statement may load the value from before the body. `set`: whether the buffer has
  // certainly been stored to; updated to what holds after the body.
  bool may_read(const Body& body, bool& set) const {
    for (const Statement& statement : body) {
      if (set) return false;
      bool loads = false;
      for_each_expression(statement, [&](const Expr& expr) {
        for_each_node(expr, [&](const Expr& node) {
          const auto* load = std::get_if<Load>(&node->kind);
          loads |= load && load->buffer == buffer_;
        });
      });
      if (loads || nested(statement, set)) return true;
    }
    return false;
  }

 private:
  bool nested(const Statement& statement, bool& set) const {
    if (const auto* store = std::get_if<Store>(&statement.kind)) {
      set |= store->buffer == buffer_;
      return false;
    }
    if (const auto* branch = std::get_if<If>(&statement.kind)) {
      bool then = set, otherwise = set;
      if (may_read(branch->then, then) || may_read(branch->otherwise, otherwise)) return true;
      set = then && otherwise;
      return false;
    }
    if (const auto* loop = std::get_if<For>(&statement.kind)) {
      bool in_loop = set;  // there may be no iteration
      return may_read(loop->body, in_loop);
    }
    if (const auto* scope = std::get_if<Scope>(&statement.kind)) return may_read(scope->body, set);
    if (const auto* copy = std::get_if<Copy>(&statement.kind)) {
      return copy->from == buffer_ || copy->to == buffer_;
    }
    const auto* shuffle = std::get_if<Shuffle>(&statement.kind);
    return shuffle && std::any_of(shuffle->moves.begin(), shuffle->moves.end(),
                                  [&](const Shuffle::Move& move) {
                                    return move.from == buffer_ || move.to == buffer_;
                                  });
  }

  BufferId buffer_;
};

}  // namespace

bool may_read_earlier_value(const Kernel& kernel, const Body& body, BufferId buffer) {
  bool set = false;
  return !kernel.buffers[buffer].extents.empty() || ValueFlow(buffer).may_read(body, set);
}

int64_t indexed_bytes(const Kernel& kernel) {
  std::set<BufferId> indexed;
  const auto note = [&](const std::string& variable, BufferId id, const std::vector<Expr>& index) {
    if (kernel.buffers[id].space != Space::Thread) return;
    for (const Expr& at : index) {
      for_each_node(at, [&](const Expr& node) {
        const auto* read = std::get_if<Variable>(&node->kind);
        if (read && read->name == variable) indexed.insert(id);
      });
    }
  };
  for_each_statement(kernel.body, [&](const Statement& outer) {
    const auto* loop = std::get_if<For>(&outer.kind);
    if (!loop || loop->kind != LoopKind::Rolled) return;
    for_each_statement(loop->body, [&](const Statement& statement) {
      if (const auto* store = std::get_if<Store>(&statement.kind)) {
        note(loop->name, store->buffer, store->index);
      }
    });
    for_each_node(loop->body, [&](const Expr& node) {
      if (const auto* load = std::get_if<Load>(&node->kind)) {
        note(loop->name, load->buffer, load->index);
      }
    });
  });
  int64_t bytes = 0;
  for (const BufferId id : indexed) {
    const Buffer& buffer = kernel.buffers[id];
    int64_t elements = 1;
    for (const Expr& extent : buffer.extents) {
      const auto* known = std::get_if<IntegerLiteral>(&extent->kind);
      elements *= known ? known->value : 1;
    }
    bytes += elements * size_in_bytes(buffer.type);
  }
  return bytes;
}

}  // namespace stencil::kernel
