// Names that occur in expressions: which lets an expression needs.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/syntax/ast.h"

namespace stencil::sema {

// Calls `visit` for every name that `expr` mentions and does not bind itself by a comprehension:
// names, fields of levels, callees.
using NameVisitor = std::function<void(const std::string& name, Span span)>;
void for_each_free_name(const ast::Expr& expr, const NameVisitor& visit);

void collect_names(const ast::Expr& expr, std::unordered_set<std::string>& names);

// Which of a list of lets an expression needs, directly or through other lets.
class LetUses {
 public:
  explicit LetUses(const std::vector<ast::Let>& lets);

  // In the order of their declaration, so that each can be evaluated before those that need it.
  std::vector<const ast::Let*> needed_by(const ast::Expr& expr) const;

 private:
  const std::vector<ast::Let>& lets_;
  std::vector<std::unordered_set<std::string>> names_;  // per let, restricted to names of lets
};

}  // namespace stencil::sema
