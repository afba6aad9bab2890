// Removes unused values and splits deep expressions, which C compilers warn about or reject.
//
// drop_dead_code works backwards through every body with the set of names read later, so one pass
// suffices. split_deep_expressions names any subexpression more than 24 parentheses deep. GCC and
// Clang stop at 256 brackets; readers lose track much earlier.
#include <algorithm>
#include <unordered_map>

#include "compiler/emit/passes.h"

namespace stencil::emit {

using namespace kernel;

namespace {

// --- Dead code

void add_variables(const Statement& statement, std::set<std::string>& names) {
  for_each_expression(statement, [&](const Expr& expr) {
    for_each_node(expr, [&](const Expr& node) {
      if (const auto* variable = std::get_if<Variable>(&node->kind)) names.insert(variable->name);
    });
  });
}

// The body without dead statements; `live` gains the names that it reads from outside.
Body live_part(Body body, std::set<std::string>& live) {
  // True if the statement stays. Names read in nested bodies join `live` through the recursion.
  struct Keep {
    std::set<std::string>& live;
    bool operator()(Comment&) const { return true; }
    bool operator()(Let& let) const { return live.erase(let.name) > 0; }
    bool operator()(Store&) const { return true; }
    bool operator()(Copy&) const { return true; }
    bool operator()(CommitCopies&) const { return true; }
    bool operator()(AwaitCopies&) const { return true; }
    bool operator()(For& loop) const {
      loop.body = nested(std::move(loop.body));
      return !only_comments(loop.body);
    }
    bool operator()(If& branch) const {
      branch.then = nested(std::move(branch.then));
      branch.otherwise = nested(std::move(branch.otherwise));
      return !only_comments(branch.then) || !only_comments(branch.otherwise);
    }
    bool operator()(Threads& threads) const {
      threads.body = nested(std::move(threads.body));
      return !only_comments(threads.body);
    }
    bool operator()(Barrier&) const { return true; }
    bool operator()(Shuffle&) const { return true; }
    bool operator()(BulkCopies&) const { return true; }
    bool operator()(AwaitBulk&) const { return true; }
    bool operator()(Scope& scope) const {
      scope.body = nested(std::move(scope.body));
      return !only_comments(scope.body);
    }

    Body nested(Body inner) const {
      std::set<std::string> inside;
      inner = live_part(std::move(inner), inside);
      live.insert(inside.begin(), inside.end());
      return inner;
    }
    static bool only_comments(const Body& inner) {
      return std::all_of(inner.begin(), inner.end(), [](const Statement& statement) {
        return std::holds_alternative<Comment>(statement.kind);
      });
    }
  };
  Body kept;
  for (auto it = body.rbegin(); it != body.rend(); ++it) {
    if (!std::visit(Keep{live}, it->kind)) continue;
    add_variables(*it, live);
    kept.push_back(std::move(*it));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// --- Deep expressions

constexpr int kDeepest = 24;

class Splitter {
 public:
  Splitter(FreshNames& fresh, Body& before) : fresh_(fresh), before_(before) {}

  Expr split(const Expr& expr) { return visit(expr).expr; }

 private:
  struct Part {
    Expr expr;
    int depth = 0;  // of parentheses in its text, upper bound
  };

  Part visit(const Expr& expr) {
    const auto done = done_.find(expr.get());
    if (done != done_.end()) return done->second;
    Part part{expr, 0};
    if (const auto* operation = std::get_if<Operation>(&expr->kind)) {
      part = visit_operands(expr, operation->operands, operation->op);
    } else if (const auto* load = std::get_if<Load>(&expr->kind)) {
      part = visit_operands(expr, load->index, Op::Select);
    }
    if (part.depth > kDeepest) {
      const std::string name = fresh_("part");
      before_.push_back({Let{name, part.expr}});
      part = {variable(name, expr->type), 0};
    }
    return done_[expr.get()] = part;
  }

  Part visit_operands(const Expr& expr, const std::vector<Expr>& operands, Op op) {
    std::vector<Expr> replaced;
    int depth = 0;
    bool changed = false;
    for (const Expr& operand : operands) {
      const Part part = visit(operand);
      const bool flat = replaced.empty() && (op == Op::Add || op == Op::Sub || op == Op::Mul);
      const auto* inner = std::get_if<Operation>(&part.expr->kind);
      const bool leaf = part.depth == 0 && (!inner || inner->operands.empty());
      depth = std::max(depth, part.depth + (flat || leaf ? 0 : 1));
      changed |= part.expr != operand;
      replaced.push_back(part.expr);
    }
    if (!changed) return {expr, depth};
    ExprNode node = *expr;
    if (auto* operation = std::get_if<Operation>(&node.kind)) operation->operands = replaced;
    if (auto* load = std::get_if<Load>(&node.kind)) load->index = replaced;
    return {std::make_shared<const ExprNode>(std::move(node)), depth};
  }

  FreshNames& fresh_;
  Body& before_;
  std::unordered_map<const ExprNode*, Part> done_;
};

Body split_body(Body body, FreshNames& fresh) {
  struct Split {
    FreshNames& fresh;
    Body& before;
    Expr split(const Expr& expr) const { return Splitter(fresh, before).split(expr); }
    void operator()(Comment&) const {}
    void operator()(Let& let) const { let.value = split(let.value); }
    void operator()(Store& store) const {
      for (Expr& index : store.index) index = split(index);
      store.value = split(store.value);
    }
    void operator()(Copy&) const {}
    void operator()(CommitCopies&) const {}
    void operator()(AwaitCopies&) const {}
    void operator()(For& loop) const {
      loop.begin = split(loop.begin);
      loop.end = split(loop.end);
      loop.body = split_body(std::move(loop.body), fresh);
    }
    void operator()(If& branch) const {
      branch.condition = split(branch.condition);
      branch.then = split_body(std::move(branch.then), fresh);
      branch.otherwise = split_body(std::move(branch.otherwise), fresh);
    }
    void operator()(Threads& threads) const {
      threads.body = split_body(std::move(threads.body), fresh);
    }
    void operator()(Barrier&) const {}
    void operator()(Shuffle&) const {}
    void operator()(BulkCopies&) const {}
    void operator()(AwaitBulk&) const {}
    void operator()(Scope& scope) const { scope.body = split_body(std::move(scope.body), fresh); }
  };
  Body result;
  for (Statement& statement : body) {
    std::visit(Split{fresh, result}, statement.kind);
    result.push_back(std::move(statement));
  }
  return result;
}

}  // namespace

Kernel drop_dead_code(Kernel kernel, FreshNames&) {
  kernel.body = drop_dead_code(std::move(kernel.body));
  return kernel;
}

Body drop_dead_code(Body body) {
  std::set<std::string> live;
  return live_part(std::move(body), live);
}

Kernel split_deep_expressions(Kernel kernel, FreshNames& fresh) {
  kernel.body = split_body(std::move(kernel.body), fresh);
  return kernel;
}

}  // namespace stencil::emit
