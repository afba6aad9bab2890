#include "compiler/builder/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/syntax/messages.h"
#include "compiler/syntax/token.h"

namespace stencil::dsl {

namespace detail {

Problem problem(std::string code, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return std::make_shared<const Diagnostic>(std::move(diagnostic));
}

Problem unstrided(const std::string& where) {
  return problem("P023", "a range of " + where + " cannot have a stride",
                 "use by() only in sub-grids and in the regions of pieces and reductions");
}

void Extent::include(const Extent& part) {
  height = std::max(height, part.height + 1);
  size = std::min(size + part.size, kMostNodes + 1);
  if (!problem) problem = part.problem;
  if (builder == 0) builder = part.builder;
  if (!problem && part.builder != 0 && part.builder != builder) {
    problem = detail::problem("P020", "the expression combines values of different builders");
  }
}

void Extent::limit() {
  if (problem) return;
  if (height > ast::kMaxExpressionDepth) {
    problem = std::make_shared<const Diagnostic>(expression_too_deep({}).diagnostic);
  } else if (size > kMostNodes) {
    problem = detail::problem(
        "P025", fmt::format("the expression has more than {} nodes", kMostNodes),
        "each use of a value repeats its expression; give the value a name with let()");
  }
}

ast::ExprPtr tree(const Node& node) {
  std::vector<ast::ExprPtr> parts;
  parts.reserve(node.operands.size());
  for (const auto& operand : node.operands) parts.push_back(tree(*operand));
  return node.make(std::move(parts));
}

Span State::mark(Place place) {
  places.push_back(place);
  const auto number = static_cast<uint32_t>(places.size() - 1);
  return {number, number + 1};
}

bool is_name(const std::string& text) {
  const Token token = token_at(text, 0);
  return token.kind == TokenKind::Word && token.span.begin == 0 && token.span.end == text.size();
}

Problem check_name(const std::string& text) {
  if (is_name(text)) return nullptr;
  return problem("P021", fmt::format("'{}' is not a valid name", text),
                 "a name is a letter or '_', then letters, digits and '_'");
}

}  // namespace detail

Expr Access::name(const std::string& name, uint64_t builder) {
  auto node = std::make_shared<detail::Node>();
  node->builder = builder;
  if (builder == 0) node->problem = detail::check_name(name);
  node->make = [name](std::vector<ast::ExprPtr>) { return detail::make_expr(ast::Name{name}); };
  return expr(std::move(node));
}

// Combines operands to a node. A node with a problem keeps no operands, so chains of such nodes do
// not grow.
Expr Access::combine(const std::vector<Expr>& operands, detail::Node::Make make,
                     detail::Problem problem) {
  auto node = std::make_shared<detail::Node>();
  node->problem = std::move(problem);
  for (const Expr& operand : operands) node->include(*operand.node_);
  node->limit();
  if (node->problem) return expr(std::move(node));
  node->make = std::move(make);
  for (const Expr& operand : operands) node->operands.push_back(operand.node_);
  return expr(std::move(node));
}

}  // namespace stencil::dsl
