// Copies kernels while replacing expressions.
#pragma once

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace stencil::kernel {

class Rewriter {
 public:
  // Returns the replacement of an expression, or null to rewrite only its operands. Called once for
  // every node, before its operands, in the order in which expressions are read.
  using Replace = std::function<Expr(const Expr&)>;

  // The number of a buffer in the copy.
  using Renumber = std::function<BufferId(BufferId)>;

  // Operations with changed operands are simplified again. Without `renumber`, buffers keep their
  // numbers.
  explicit Rewriter(Replace replace, Renumber renumber = {})
      : replace_(std::move(replace)), renumber_(std::move(renumber)) {}

  Body body(const Body& body);
  Statement statement(const Statement& statement);
  Expr expr(const Expr& expr);
  // The node with its operands replaced, without calling `replace` for the node itself.
  Expr with_operands(const Expr& expr);

 private:
  std::vector<Expr> all(const std::vector<Expr>& exprs);

  BufferId buffer(BufferId id) const { return renumber_ ? renumber_(id) : id; }

  Replace replace_;
  Renumber renumber_;
  std::unordered_map<const ExprNode*, Expr> done_;
};

}  // namespace stencil::kernel
