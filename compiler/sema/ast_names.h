// Names in expressions, and which lets an expression needs.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/syntax/ast.h"

namespace stencil::sema {

// Calls `visit` for every free name of `expr`: names, fields of levels and callees, unless a
// comprehension in `expr` binds them.
using NameVisitor = std::function<void(const std::string& name, Span span)>;
void for_each_free_name(const ast::Expr& expr, const NameVisitor& visit);

// Calls `visit` for every place in `expr` where `name` is read with indices (`name[...]`), and with
// a null pointer where an older level of it is read (`name@-1`).
void for_each_read(const ast::Expr& expr, const std::string& name,
                   const std::function<void(const ast::Bracket*)>& visit);
// Calls `visit` for every call in `expr`.
void for_each_call(const ast::Expr& expr, const std::function<void(const ast::Call&)>& visit);

void collect_names(const ast::Expr& expr, std::unordered_set<std::string>& names);

// Finds the lets of a list that an expression needs, directly or through other lets.
class LetUses {
 public:
  explicit LetUses(const std::vector<ast::Let>& lets);

  // In the order of their declaration, so that each let is evaluated before the lets that use it.
  std::vector<const ast::Let*> needed_by(const ast::Expr& expr) const;

 private:
  const std::vector<ast::Let>& lets_;
  std::vector<std::unordered_set<std::string>> names_;  // per let, restricted to names of lets
};

}  // namespace stencil::sema
