// Values as expressions of the language.
#pragma once

#include <functional>

#include "compiler/lift/execution.h"
#include "compiler/lift/expr.h"
#include "compiler/syntax/ast.h"

namespace stencil::lifter {

ast::ExprPtr make_name(const std::string& name);
ast::ExprPtr make_integer(int64_t value);
ast::ExprPtr make_call(const std::string& name, std::vector<ast::ExprPtr> arguments);
ast::ExprPtr make_binary(const std::string& op, ast::ExprPtr left, ast::ExprPtr right);
ast::Identifier make_identifier(const std::string& name);
std::string type_name(CScalar type);  // of a field; "" if there is none

// Turns graphs into trees. Throws Refusal for what the language has no counterpart for.
class ValueWriter {
 public:
  // `leaf` writes loads, indices and symbols; null: it is none of them.
  using Leaf = std::function<ast::ExprPtr(X)>;
  ValueWriter(CPlace place, Leaf leaf) : place_(place), leaf_(std::move(leaf)) {}

  // A value of the type that `x` has; `known`: the place gives a literal its type.
  ast::ExprPtr value(X x, bool known = false);
  ast::ExprPtr condition(X x);
  // Values written so far under a name.
  std::map<X, std::string> names;

 private:
  ast::ExprPtr literal(X x, bool known);
  ast::ExprPtr binary(X x);
  ast::ExprPtr cast(X x);
  ast::ExprPtr call(X x);
  [[noreturn]] void refuse(const std::string& message, const std::string& hint = "") const;

  CPlace place_;
  Leaf leaf_;
  int64_t size_ = 0;
};

}  // namespace stencil::lifter
