// Writes values as expressions of the language.
#pragma once

#include <functional>

#include "compiler/lift/execution.h"
#include "compiler/lift/expr.h"
#include "compiler/lift/ranges.h"
#include "compiler/syntax/ast.h"

namespace stencil::lifter {

ast::ExprPtr make_name(const std::string& name);
ast::ExprPtr make_integer(int64_t value);
ast::ExprPtr make_call(const std::string& name, std::vector<ast::ExprPtr> arguments);
ast::ExprPtr make_binary(const std::string& op, ast::ExprPtr left, ast::ExprPtr right);
ast::Identifier make_identifier(const std::string& name);
// The type of the language that computes values of a C type.
CScalar computed_type(CScalar type);
std::string type_name(CScalar type);  // the type of a field; "" if the language has no such type

// Turns graphs into expression trees. Throws Refusal (C023) for values that the language cannot
// express.
class ValueWriter {
 public:
  // `leaf` writes loads, indices and symbols; it returns null for other nodes.
  using Leaf = std::function<ast::ExprPtr(X)>;
  // `sizes`: the values are sums of sizes, which fit in every integer type.
  ValueWriter(const Pool& pool, CPlace place, Leaf leaf, bool sizes = false)
      : place_(place), leaf_(std::move(leaf)), ranges_(pool), sizes_(sizes) {}

  // Writes a value of the type of `x`. `known`: the context determines the type of a literal.
  ast::ExprPtr value(X x, bool known = false);
  ast::ExprPtr condition(X x);
  // Adds facts that hold where the value is evaluated: the loops there have points, which bounds
  // sizes from below.
  void assume(const std::vector<Poly>& at_least_zero) { ranges_.assume(at_least_zero); }
  // Names of values that are already defined.
  std::map<X, std::string> names;

 private:
  ast::ExprPtr literal(X x, bool known);
  ast::ExprPtr binary(X x);
  ast::ExprPtr cast(X x);
  ast::ExprPtr integer(X x);
  ast::ExprPtr integer_comparison(X x);
  ast::ExprPtr long_product(X a, X b, ast::ExprPtr left, ast::ExprPtr right);
  ast::ExprPtr unsigned_operation(X x, ast::ExprPtr left, ast::ExprPtr right);
  ast::ExprPtr floating_from_unsigned(X from, CScalar to);
  static ast::ExprPtr converted(CScalar type, ast::ExprPtr value);
  ast::ExprPtr low_bits(ast::ExprPtr of, CScalar type, bool wide);
  static bool is_literal(X x);
  void count();
  ast::ExprPtr call(X x);
  [[noreturn]] void refuse(const std::string& message, const std::string& hint = "") const;

  CPlace place_;
  Leaf leaf_;
  Ranges ranges_;
  const bool sizes_;
  int64_t size_ = 0;
};

}  // namespace stencil::lifter
