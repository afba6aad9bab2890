#include "compiler/emit/host_variables.h"

#include <fmt/format.h>

#include "compiler/emit/text.h"
#include "compiler/kernel/rewrite.h"

namespace stencil::emit {

using kernel::Expr;

std::string HostVariables::text(const Expr& expr) const {
  kernel::Rewriter spelled([&](const Expr& node) -> Expr {
    const auto* variable = std::get_if<kernel::Variable>(&node->kind);
    if (!variable || spelling(variable->name) == variable->name) return nullptr;
    return kernel::variable(spelling(variable->name), node->type);
  });
  return expressions_.print(spelled.expr(expr));
}

// x = x + 1, x = x + e, or x = e.
std::string HostVariables::assignment(const host_ir::Assign& assign) const {
  const std::string& name = spelling(assign.name);
  const auto* sum = std::get_if<kernel::Operation>(&assign.value->kind);
  const bool adds = sum && sum->op == Op::Add;
  const auto* added_to = adds ? std::get_if<kernel::Variable>(&sum->operands[0]->kind) : nullptr;
  if (!added_to || added_to->name != assign.name) {
    return fmt::format("{} = {};", name, text(assign.value));
  }
  Expr by = sum->operands[1];
  const auto* literal = std::get_if<kernel::IntegerLiteral>(&by->kind);
  if (literal && literal->value == 1) return fmt::format("++{};", name);
  const auto* converted = std::get_if<kernel::Operation>(&by->kind);  // C converts it
  if (converted && converted->op == Op::Convert) by = converted->operands[0];
  return fmt::format("{} += {};", name, text(by));
}

std::string HostVariables::loop(const host_ir::For& loop) const {
  const std::string& name = spelling(loop.name);
  std::string advance;
  if (loop.step) {
    const int64_t by = std::get<kernel::IntegerLiteral>(loop.step->kind).value;
    advance = by == 1 ? " ++" + name : fmt::format(" {} += {}", name, by);
  }
  const auto* literal = std::get_if<kernel::IntegerLiteral>(&loop.begin->kind);
  const std::string begin = literal ? std::to_string(literal->value) : text(loop.begin);
  const auto* bound = std::get_if<kernel::IntegerLiteral>(&loop.end->kind);
  const std::string end = bound ? std::to_string(bound->value) : text(loop.end);
  return fmt::format("for ({0} {1} = {2}; {1} < {3};{4})", cpp_dialect().type(loop.begin->type),
                     name, begin, end, advance);
}

std::string HostVariables::step_argument(const Expr& step) const {
  const bool simple = std::holds_alternative<kernel::Variable>(step->kind);
  const std::string value = plain(text(step));
  return simple ? "(int)" + value : "(int)(" + value + ")";
}

}  // namespace stencil::emit
