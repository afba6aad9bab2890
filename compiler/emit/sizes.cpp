#include "compiler/emit/sizes.h"

#include <fmt/format.h>

#include <optional>

namespace stencil::emit {

using kernel::Expr;

namespace {

std::optional<int64_t> value_of(const kernel::Module& module, const Expr& expr) {
  if (const auto* literal = std::get_if<kernel::IntegerLiteral>(&expr->kind)) return literal->value;
  if (const auto* variable = std::get_if<kernel::Variable>(&expr->kind)) {
    for (const auto& constant : module.constants) {
      if (constant.name == variable->name) return constant.value;
    }
  }
  const auto* operation = std::get_if<kernel::Operation>(&expr->kind);
  if (operation && operation->op == Op::Convert) return value_of(module, operation->operands[0]);
  return std::nullopt;
}

// The names of operators, and how strongly they bind.
struct Binding {
  std::string_view text;
  int strength;
};
std::optional<Binding> binding_of(Op op) {
  switch (op) {
    case Op::Add:
      return Binding{"+", 1};
    case Op::Sub:
      return Binding{"-", 1};
    case Op::Mul:
      return Binding{"*", 2};
    case Op::Div:
      return Binding{"/", 2};
    default:
      return std::nullopt;
  }
}

class SizePrinter {
 public:
  SizePrinter(const kernel::Module& module, const SizeStyle& style)
      : module_(module), style_(style) {}

  // With parentheses if the expression binds less strongly than `strength`.
  std::string print(const Expr& expr, int strength) const {
    if (const auto value = value_of(module_, expr)) return std::to_string(*value);
    if (const auto* variable = std::get_if<kernel::Variable>(&expr->kind)) {
      return style_.name(variable->name);
    }
    const auto* operation = std::get_if<kernel::Operation>(&expr->kind);
    if (!operation) return "?";
    const auto& operands = operation->operands;
    if (operation->op == Op::Convert) return print(operands[0], strength);
    if (operation->op == Op::BitAnd && !style_.fortran) {
      return fmt::format("{} & {}", print(operands[0], 3), print(operands[1], 3));
    }
    if (const auto binding = binding_of(operation->op)) {
      const std::string text = sum_or_product(*binding, operands);
      return binding->strength < strength ? "(" + text + ")" : text;
    }
    std::string arguments;
    for (const Expr& operand : operands) {
      arguments += (arguments.empty() ? "" : ", ") + print(operand, 0);
    }
    return fmt::format("{}({})", operation->op == Op::BitAnd ? "iand" : name(operation->op),
                       arguments);
  }

 private:
  std::string multiple(int64_t factor, const Expr& expr) const {
    return factor == 1 ? print(expr, 2) : fmt::format("{} * {}", factor, print(expr, 2));
  }
  std::string sum_or_product(const Binding& binding, const std::vector<Expr>& operands) const {
    const std::string left = print(operands[0], binding.strength);
    const auto right = value_of(module_, operands[1]);
    if (binding.text == "+" && right && *right < 0) return fmt::format("{} - {}", left, -*right);
    if (const auto* added = std::get_if<kernel::Operation>(&operands[1]->kind);
        binding.text == "+" && added && added->op == Op::Mul) {
      const auto factor = value_of(module_, added->operands[1]);
      if (factor && *factor < 0) {
        return fmt::format("{} - {}", left, multiple(-*factor, added->operands[0]));
      }
    }
    if (binding.text == "*" && right) {
      return *right < 0 ? "-" + multiple(-*right, operands[0]) : multiple(*right, operands[0]);
    }
    return fmt::format("{} {} {}", left, binding.text, print(operands[1], binding.strength + 1));
  }

  const kernel::Module& module_;
  const SizeStyle& style_;
};

}  // namespace

std::string size_text(const kernel::Module& module, const Expr& size, const SizeStyle& style) {
  return SizePrinter(module, style).print(size, 0);
}

bool is_number(const kernel::Module& module, const Expr& size) {
  return value_of(module, size).has_value();
}

}  // namespace stencil::emit
