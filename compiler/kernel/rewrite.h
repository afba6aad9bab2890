// Copies of kernels with other expressions in them.
#pragma once

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace stencil::kernel {

class Rewriter {
 public:
  // What takes the place of an expression; null if only its operands may be replaced. Asked for
  // every node once, ahead of its operands, in the order in which expressions are read.
  using Replace = std::function<Expr(const Expr&)>;

  // Operations above what has changed are simplified again.
  explicit Rewriter(Replace replace) : replace_(std::move(replace)) {}

  Body body(const Body& body);
  Statement statement(const Statement& statement);
  Expr expr(const Expr& expr);
  // The node with its operands replaced, whatever `replace` says of the node itself.
  Expr with_operands(const Expr& expr);

 private:
  std::vector<Expr> all(const std::vector<Expr>& exprs);

  Replace replace_;
  std::unordered_map<const ExprNode*, Expr> done_;
};

}  // namespace stencil::kernel
