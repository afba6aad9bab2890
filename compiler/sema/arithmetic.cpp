// Typing of operations. Types are few and the rules are those of C without its surprises:
//   - among integer < long < float < double the wider operand decides;
//   - a literal never decides: it takes the type of what it meets, so that no stray double appears
//   in
//     a float program. Only a real literal that meets an integer makes the operation `real`;
//   - truth values take part in no arithmetic;
//   - storing widens silently, narrows with a warning (S102), and never turns a real into an
//   integer.
// half and bfloat do not occur here: an access converts them to float at once, a store converts
// back.
#include "compiler/sema/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compiler/sema/fold.h"

namespace stencil::sema {
namespace {

enum class Domain { Numbers, Integers, Floats, Comparison, Logic, Select };

Domain domain(Op op) {
  switch (op) {
    case Op::Neg:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Min:
    case Op::Max:
    case Op::Abs:
    case Op::Convert:
      return Domain::Numbers;
    case Op::Mod:
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
    case Op::BitNot:
    case Op::Shl:
    case Op::Shr:
      return Domain::Integers;
    case Op::Fma:
    case Op::Sqrt:
    case Op::Rsqrt:
    case Op::Exp:
    case Op::Log:
    case Op::Pow:
    case Op::Sin:
    case Op::Cos:
    case Op::Tan:
    case Op::Tanh:
    case Op::Floor:
    case Op::Ceil:
      return Domain::Floats;
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::Eq:
    case Op::Ne:
      return Domain::Comparison;
    case Op::And:
    case Op::Or:
    case Op::Not:
      return Domain::Logic;
    case Op::Select:
      return Domain::Select;
  }
  return Domain::Numbers;
}

// As the program writes it.
std::string_view spelling(Op op) {
  switch (op) {
    case Op::Neg:
    case Op::Sub:
      return "-";
    case Op::Add:
      return "+";
    case Op::Mul:
      return "*";
    case Op::Div:
      return "/";
    case Op::Mod:
      return "%";
    case Op::BitAnd:
      return "&";
    case Op::BitOr:
      return "|";
    case Op::BitXor:
      return "^";
    case Op::BitNot:
      return "~";
    case Op::Shl:
      return "<<";
    case Op::Shr:
      return ">>";
    case Op::Lt:
      return "<";
    case Op::Le:
      return "<=";
    case Op::Gt:
      return ">";
    case Op::Ge:
      return ">=";
    case Op::Eq:
      return "==";
    case Op::Ne:
      return "!=";
    default:
      return name(op);  // the others are written by their names
  }
}

std::optional<std::vector<Constant>> all_constant(const std::vector<Leaf>& leaves) {
  std::vector<Constant> constants;
  for (const Leaf& leaf : leaves) {
    const auto* constant = std::get_if<Constant>(&leaf);
    if (!constant) return std::nullopt;
    constants.push_back(*constant);
  }
  return constants;
}

const Leaf& leaf_of(const Value& value, size_t component) {
  return value.leaves.size() == 1 ? value.leaves[0] : value.leaves[component];
}

}  // namespace

std::optional<Scalar> Arithmetic::type_of(const Leaf& leaf) const {
  if (const auto* constant = std::get_if<Constant>(&leaf)) return constant->type;
  return graph_[std::get<ir::NodeId>(leaf)].type;
}

std::string Arithmetic::describe_leaf(const Leaf& leaf) const {
  if (const std::optional<Scalar> type = type_of(leaf)) return std::string(name(*type));
  return std::get<Constant>(leaf).integer ? "an integer literal" : "a real literal";
}

// --- Operations
// ------------------------------------------------------------------------------------

TypePtr Arithmetic::common_shape(Op op, const std::vector<Value>& operands, Span span) {
  TypePtr shape = operands.front().type;
  for (const Value& operand : operands) {
    if (operand.type->scalar()) continue;
    if (domain(op) == Domain::Comparison || domain(op) == Domain::Logic) {
      Diagnostic& error = report_.error("S019", span, "only scalars can be compared");
      error.found = describe(*operand.type);
      error.hint = "select a component with [index] or .name";
      return nullptr;
    }
    if (shape->scalar()) shape = operand.type;
    if (!same_shape(*shape, *operand.type)) {
      Diagnostic& error = report_.error("S019", span, "operands of different shape");
      error.expected = describe(*shape);
      error.found = describe(*operand.type);
      return nullptr;
    }
  }
  return shape;
}

Value Arithmetic::apply(Op op, const std::vector<Value>& operands, Span span) {
  for (const Value& operand : operands) {
    if (!operand.ok()) return {};
  }
  Value result;
  const TypePtr shape = common_shape(op, operands, span);
  if (!shape) return {};
  result.leaves.reserve(static_cast<size_t>(shape->components));
  std::vector<Leaf> scalars(operands.size());
  for (size_t c = 0; c < static_cast<size_t>(shape->components); ++c) {
    for (size_t i = 0; i < operands.size(); ++i) scalars[i] = leaf_of(operands[i], c);
    const std::optional<Leaf> leaf = apply_scalar(op, scalars, span);
    if (!leaf) return {};
    result.leaves.push_back(*leaf);
  }
  result.type = shape;
  return result;
}

bool Arithmetic::admissible(Op op, const std::vector<Leaf>& operands, Span span) {
  const Domain kind = domain(op);
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::optional<Scalar> type = type_of(operands[i]);
    const bool truth = type == Scalar::Bool;
    const char* expected = nullptr;
    if (kind == Domain::Logic || (kind == Domain::Select && i == 0)) {
      if (!truth) expected = "a condition (a comparison, `and`, `or`, `not`, true, false)";
    } else if (kind == Domain::Select) {
      if (truth != (type_of(operands[1]) == Scalar::Bool))
        expected = "two numbers or two conditions";
    } else if (truth) {
      expected = "a number";
    } else if (kind == Domain::Integers) {
      const auto* constant = std::get_if<Constant>(&operands[i]);
      const bool integer = type ? is_integer(*type) : constant->integer.has_value();
      if (!integer) expected = "integers";
    }
    if (!expected) continue;
    Diagnostic& error =
        report_.error(kind == Domain::Logic || kind == Domain::Select ? "S039" : "S018", span,
                      fmt::format("wrong operand of '{}'", spelling(op)));
    error.expected = expected;
    error.found = describe_leaf(operands[i]);
    if (truth) error.hint = "select(condition, 1, 0) makes a number of a condition";
    return false;
  }
  return true;
}

// The type in which the operands meet. At least one of them has a type, or all are literals that
// could not be folded.
Scalar Arithmetic::common_type(const std::vector<Leaf>& operands) const {
  std::optional<Scalar> widest;
  bool real_literal = false;
  bool long_literal = false;
  for (const Leaf& leaf : operands) {
    if (const std::optional<Scalar> type = type_of(leaf)) {
      widest = std::max(widest.value_or(*type), *type);
      continue;
    }
    const Constant& literal = std::get<Constant>(leaf);
    real_literal |= !literal.integer;
    long_literal |= literal.integer && *literal.integer != static_cast<int32_t>(*literal.integer);
  }
  Scalar type = widest.value_or(real_literal ? real_ : Scalar::I32);
  if (real_literal && is_integer(type)) type = real_;
  if (long_literal && type == Scalar::I32) type = Scalar::I64;
  return type;
}

std::optional<Leaf> Arithmetic::apply_scalar(Op op, const std::vector<Leaf>& operands, Span span) {
  if (!admissible(op, operands, span)) return std::nullopt;
  const bool select = op == Op::Select;
  if (const auto constants = all_constant(operands)) {
    const Folded folded = fold(op, *constants);
    if (folded.fault) {
      report_.error("S013", span, fmt::format("{} in a constant expression", folded.fault));
      return std::nullopt;
    }
    if (folded.value) return *folded.value;
  }
  std::vector<Leaf> typed_operands(operands.begin() + (select ? 1 : 0), operands.end());
  Scalar type = common_type(typed_operands);
  if (domain(op) == Domain::Floats && !is_float(type)) type = real_;

  ir::Operation operation{op, {}};
  if (select) {
    const std::optional<ir::NodeId> condition = node(operands[0], Scalar::Bool, span);
    if (!condition) return std::nullopt;
    operation.operands.push_back(*condition);
  }
  for (const Leaf& leaf : typed_operands) {
    const std::optional<ir::NodeId> operand = node(leaf, type, span);
    if (!operand) return std::nullopt;
    operation.operands.push_back(*operand);
  }
  const Scalar result = domain(op) == Domain::Comparison ? Scalar::Bool : type;
  return graph_.add({std::move(operation), result, span, {}});
}

// --- Conversions
// -----------------------------------------------------------------------------------

std::optional<Constant> Arithmetic::typed(const Constant& value, Scalar to, Span span) {
  if (value.type == to) return value;
  if (to == Scalar::Bool) return std::nullopt;  // admissible() and storable() have refused it
  if (is_float(to)) {
    double real = value.integer && value.type ? static_cast<double>(*value.integer) : value.real;
    if (to == Scalar::F32) real = static_cast<float>(real);
    if (!std::isfinite(real)) {
      Diagnostic& error = report_.error("S012", span, "number too large for a float");
      error.found = fmt::format("{}", value.real);
      return std::nullopt;
    }
    return Constant{to, std::nullopt, real};
  }
  if (!value.integer) {
    Diagnostic& error = report_.error("S020", span, "a real number where an integer is needed");
    error.found = fmt::format("{}", value.real);
    error.hint = "integer(x) truncates; floor(x) rounds down first";
    return std::nullopt;
  }
  if (to == Scalar::I32 && *value.integer != static_cast<int32_t>(*value.integer)) {
    Diagnostic& error = report_.error("S012", span, "number too large for a 32-bit integer");
    error.found = fmt::format("{}", *value.integer);
    return std::nullopt;
  }
  return Constant::of_typed(to, *value.integer);
}

std::optional<ir::NodeId> Arithmetic::node(const Leaf& leaf, Scalar to, Span span) {
  if (const auto* constant = std::get_if<Constant>(&leaf)) {
    const std::optional<Constant> value = typed(*constant, to, span);
    if (!value) return std::nullopt;
    const ir::Constant literal{is_float(to) ? value->real : 0.0, value->integer.value_or(0)};
    return graph_.add({literal, to, span, {}});
  }
  const auto id = std::get<ir::NodeId>(leaf);
  if (graph_[id].type == to) return id;
  return graph_.add({ir::Operation{Op::Convert, {id}}, to, span, {}});
}

std::optional<Leaf> Arithmetic::convert_scalar(const Leaf& leaf, Scalar to, Span span) {
  const std::optional<Scalar> from = type_of(leaf);
  if (from == Scalar::Bool) {
    const Leaf one = Constant::of_integer(1);
    const Leaf zero = Constant::of_integer(0);
    const std::optional<Leaf> number = apply_scalar(
        Op::Select, {leaf, Constant::of_typed(Scalar::I32, 1), Constant::of_typed(Scalar::I32, 0)},
        span);
    return number ? convert_scalar(*number, to, span) : std::nullopt;
  }
  if (const auto* constant = std::get_if<Constant>(&leaf)) {
    Constant value = *constant;
    if (is_integer(to) && !value.integer) {  // truncate, as the run-time conversion does
      if (std::fabs(value.real) >= 0x1p62) {
        report_.error("S012", span, "number too large for an integer").found =
            fmt::format("{}", value.real);
        return std::nullopt;
      }
      value = Constant::of_integer(static_cast<int64_t>(value.real));
    }
    const std::optional<Constant> result = typed(value, to, span);
    return result ? std::optional<Leaf>(*result) : std::nullopt;
  }
  const std::optional<ir::NodeId> id = node(leaf, to, span);
  return id ? std::optional<Leaf>(*id) : std::nullopt;
}

Value Arithmetic::convert(const Value& value, Scalar to, Span span) {
  if (!value.ok()) return {};
  Value result;
  for (const Leaf& leaf : value.leaves) {
    const std::optional<Leaf> converted = convert_scalar(leaf, to, span);
    if (!converted) return {};
    result.leaves.push_back(*converted);
  }
  result.type = value.type;
  return result;
}

// --- Storing
// ---------------------------------------------------------------------------------------

bool Arithmetic::storable(const Leaf& leaf, Scalar target, Span span) {
  const std::optional<Scalar> from = type_of(leaf);
  const Scalar to = arithmetic_type(target);
  if (!from) return true;  // literals: typed() decides
  if (*from == Scalar::Bool) {
    Diagnostic& error = report_.error("S018", span, "a condition where a number is needed");
    error.hint = "select(condition, 1, 0) makes a number of a condition";
    return false;
  }
  if (is_float(*from) && is_integer(to)) {
    Diagnostic& error = report_.error("S020", span, "a real value where an integer is needed");
    error.expected = std::string(name(target));
    error.found = std::string(name(*from));
    error.hint = fmt::format("{}(x) truncates; floor(x) rounds down first", name(target));
    return false;
  }
  const bool to_float = *from == Scalar::F64 && to == Scalar::F32 && real_ != Scalar::F64;
  const bool to_integer = *from == Scalar::I64 && to == Scalar::I32;
  if ((to_float || to_integer) && std::holds_alternative<ir::NodeId>(leaf)) {
    report_.warning("S102", span, fmt::format("{} value stored as {}", name(*from), name(target)))
        .hint = fmt::format("{}(x) says that this is meant", name(to));
  }
  return true;
}

std::optional<ir::NodeId> Arithmetic::store_scalar(const Leaf& leaf, Scalar target, Span span) {
  if (!storable(leaf, target, span)) return std::nullopt;
  const Scalar computed = arithmetic_type(target);
  const std::optional<ir::NodeId> id = node(leaf, computed, span);
  if (!id || computed == target) return id;
  return graph_.add({ir::Operation{Op::Convert, {*id}}, target, span, {}});
}

std::optional<std::vector<ir::NodeId>> Arithmetic::store(const Value& value, const Type& target,
                                                         Span span) {
  if (!value.ok()) return std::nullopt;
  if (!value.type->scalar() && !same_shape(*value.type, target)) {
    Diagnostic& error = report_.error("S019", span, "value of the wrong shape");
    error.expected = describe(target);
    error.found = describe(*value.type);
    return std::nullopt;
  }
  std::vector<ir::NodeId> stored;
  const std::vector<ir::Component> components = flatten(target);
  for (size_t c = 0; c < components.size(); ++c) {
    const std::optional<ir::NodeId> id = store_scalar(leaf_of(value, c), components[c].type, span);
    if (!id) return std::nullopt;
    stored.push_back(*id);
  }
  return stored;
}

std::optional<std::vector<Constant>> Arithmetic::store_constants(const Value& value,
                                                                 const Type& target, Span span) {
  if (!value.ok()) return std::nullopt;
  if (!value.type->scalar() && !same_shape(*value.type, target)) {
    Diagnostic& error = report_.error("S019", span, "value of the wrong shape");
    error.expected = describe(target);
    error.found = describe(*value.type);
    return std::nullopt;
  }
  std::vector<Constant> stored;
  const std::vector<ir::Component> components = flatten(target);
  for (size_t c = 0; c < components.size(); ++c) {
    const Leaf& leaf = leaf_of(value, c);
    if (!std::holds_alternative<Constant>(leaf)) {
      report_.error("S010", span, "not a compile-time constant").hint =
          "params without a folded value and fields are known at run time only";
      return std::nullopt;
    }
    if (!storable(leaf, components[c].type, span)) return std::nullopt;
    const std::optional<Constant> constant =
        typed(std::get<Constant>(leaf), arithmetic_type(components[c].type), span);
    if (!constant) return std::nullopt;
    stored.push_back(*constant);
  }
  return stored;
}

std::optional<ir::NodeId> Arithmetic::condition(const Value& value, Span span) {
  if (!value.ok()) return std::nullopt;
  if (!value.type->scalar() || type_of(value.leaves[0]) != Scalar::Bool) {
    Diagnostic& error = report_.error("S039", span, "not a condition");
    error.expected = "a comparison, or several joined by `and`, `or`, `not`";
    error.found = value.type->scalar() ? describe_leaf(value.leaves[0]) : describe(*value.type);
    return std::nullopt;
  }
  return node(value.leaves[0], Scalar::Bool, span);
}

}  // namespace stencil::sema
