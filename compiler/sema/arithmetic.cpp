// Types of operations. There are few types, and the rules avoid the surprises of C:
//   - Among integer < long < float < double, the operation has the wider type.
//   - A literal never decides the type. It takes the type of the other operand, so no stray double
//     appears in a float program.
//   - A real number made only of literals and integers is weak: like a literal, it has no type
//     until its context gives one. The number is then computed in that type (weak.cpp).
//   - Truth values take part in no arithmetic.
//   - A store widens silently, narrows with a warning (S102), and never turns a real number into an
//     integer.
// Storage types do not occur here. An access converts half and bfloat to float, and byte, ubyte,
// short and ushort to integer; a store converts back.
#include "compiler/sema/arithmetic.h"

#include <algorithm>

#include <fmt/format.h>

namespace stencil::sema {
namespace {

std::optional<std::vector<Constant>> all_constant(const std::vector<Leaf>& leaves) {
  std::vector<Constant> constants;
  for (const Leaf& leaf : leaves) {
    const auto* constant = std::get_if<Constant>(&leaf);
    if (!constant) return std::nullopt;
    constants.push_back(*constant);
  }
  return constants;
}

bool all_integral(const std::vector<Constant>& literals) {
  return std::all_of(literals.begin(), literals.end(),
                     [](const Constant& literal) { return literal.integer.has_value(); });
}

}  // namespace

std::optional<Scalar> Arithmetic::type_of(const Leaf& leaf) const {
  if (const auto* constant = std::get_if<Constant>(&leaf)) return constant->type;
  const auto* id = std::get_if<ir::NodeId>(&leaf);
  return id ? std::optional(graph_[*id].type) : std::nullopt;
}

bool Arithmetic::is_integral(const Leaf& leaf) const {
  if (const std::optional<Scalar> type = type_of(leaf)) return is_integer(*type);
  return !std::holds_alternative<Weak>(leaf) && all_integral(literals_of(leaf));
}

std::string Arithmetic::describe_leaf(const Leaf& leaf) const {
  if (const std::optional<Scalar> type = type_of(leaf)) return std::string(name(*type));
  if (std::holds_alternative<Weak>(leaf)) return "a real number";
  for (const Constant& literal : literals_of(leaf)) {
    if (literal.overflowed) return "a result that is out of the range of 'long'";
  }
  return is_integral(leaf) ? "an integer literal" : "a real literal";
}

// --- Operations ----------------------------------------------------------------------------------

TypePtr Arithmetic::common_shape(Op op, const std::vector<Value>& operands, Span span) {
  TypePtr shape = operands.front().type;
  for (const Value& operand : operands) {
    if (operand.type->scalar()) continue;
    if (class_of(op) == OpClass::Comparison || class_of(op) == OpClass::Logic) {
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

Value Arithmetic::apply(Op op, const std::vector<Value>& operands, Span span, Span place) {
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
    const std::optional<Leaf> leaf = apply_scalar(op, scalars, span, place);
    if (!leaf) return {};
    result.leaves.push_back(*leaf);
  }
  result.type = shape;
  return result;
}

bool Arithmetic::admissible(Op op, const std::vector<Leaf>& operands, Span span) {
  const OpClass kind = class_of(op);
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::optional<Scalar> type = type_of(operands[i]);
    const bool truth = type == Scalar::Bool;
    const char* expected = nullptr;
    if (kind == OpClass::Logic || (kind == OpClass::Select && i == 0)) {
      if (!truth) expected = "a condition (a comparison, `and`, `or`, `not`, true, false)";
    } else if (kind == OpClass::Select) {
      if (truth != (type_of(operands[1]) == Scalar::Bool))
        expected = "two numbers or two conditions";
    } else if (truth) {
      expected = "a number";
    } else if (kind == OpClass::Integers) {
      if (!is_integral(operands[i])) expected = "integers";
    }
    if (!expected) continue;
    Diagnostic& error =
        report_.error(kind == OpClass::Logic || kind == OpClass::Select ? "S039" : "S018", span,
                      fmt::format("wrong operand of '{}'", spelling(op)));
    error.expected = expected;
    error.found = describe_leaf(operands[i]);
    if (truth)
      error.hint = "select(condition, 1, 0) converts a condition to a number";
    else if (kind == OpClass::Logic)
      error.hint = "a comparison turns a number into a condition, as in x != 0";
    else if (op == Op::BitXor)
      error.hint = "'^' is bitwise exclusive or; write a power as x*x or pow(x, y)";
    else if (op == Op::Mod)
      error.hint = "for reals write a - b*floor(a/b)";
    return false;
  }
  return true;
}

// The common type of the operands. If no operand has a type and division has made the two tracks of
// a literal differ, the literals count as reals. A fraction is therefore never lost silently.
Scalar Arithmetic::common_type(const std::vector<Leaf>& operands) const {
  std::optional<Scalar> widest;
  bool real_literal = false;  // or a weak value
  bool long_literal = false;
  bool inexact = false;
  for (const Leaf& leaf : operands) {
    if (const std::optional<Scalar> type = type_of(leaf)) {
      widest = std::max(widest.value_or(*type), *type);
      continue;
    }
    if (std::holds_alternative<Weak>(leaf)) {
      real_literal = true;
      continue;
    }
    for (const Constant& literal : literals_of(leaf)) {
      const int64_t integer = literal.integer.value_or(0);
      if (literal.overflowed) {  // the value is an integer; typed() reports the overflow
        long_literal = true;
        continue;
      }
      real_literal |= !literal.integer;
      inexact |= static_cast<double>(integer) != literal.real;
      long_literal |= integer != static_cast<int32_t>(integer);
    }
  }
  Scalar type = widest.value_or(real_literal || inexact ? fallback_ : Scalar::I32);
  if (real_literal && is_integer(type)) type = fallback_;
  if (long_literal && type == Scalar::I32) type = Scalar::I64;
  return type;
}

// The result as a choice of literals, if possible. This applies to a select of two literals, and to
// an operation on a choice and literals, which is computed on both sides of the choice.
std::optional<Leaf> Arithmetic::choose(Op op, const std::vector<Leaf>& operands) const {
  if (op == Op::Select) {
    const auto* condition = std::get_if<ir::NodeId>(&operands[0]);
    const auto* if_true = std::get_if<Constant>(&operands[1]);
    const auto* if_false = std::get_if<Constant>(&operands[2]);
    if (!condition || !if_true || !if_false || if_true->type || if_false->type) return std::nullopt;
    return Choice{*condition, *if_true, *if_false};
  }
  const Choice* choice = nullptr;
  std::vector<Constant> if_true, if_false;
  for (const Leaf& leaf : operands) {
    const auto* found = std::get_if<Choice>(&leaf);
    const bool weak = std::holds_alternative<Weak>(leaf);
    if (weak || type_of(leaf) || (found && choice)) return std::nullopt;
    if (found) choice = found;
    if_true.push_back(literals_of(leaf).front());
    if_false.push_back(literals_of(leaf).back());
  }
  if (!choice || is_comparison(op)) return std::nullopt;
  const Folded a = fold(op, if_true);
  const Folded b = fold(op, if_false);
  if (!a.value || !b.value) return std::nullopt;
  return Choice{choice->condition, *a.value, *b.value};
}

ir::NodeId Arithmetic::select(ir::NodeId condition, ir::NodeId if_true, ir::NodeId if_false,
                              Span span) {
  const Scalar type = graph_[if_true].type;
  return graph_.add({ir::Operation{Op::Select, {condition, if_true, if_false}}, type, span, {}});
}

// The integer quotient whose fraction is missing in `result`. The quotient is this operation or
// comes from an operand. Remainders and bit operations expect integers, so their operands do not
// count.
Span Arithmetic::quotient_in(const Leaf& result, Op op, const std::vector<Leaf>& operands,
                             Span span) const {
  if (!is_integral(result) || class_of(op) == OpClass::Integers) return {};
  if (op == Op::Div) {
    const auto* a = std::get_if<Constant>(&operands[0]);
    const auto* b = std::get_if<Constant>(&operands[1]);
    const bool by_one = b && (b->integer == 1 || b->integer == -1);
    const bool exact = a && b ? fold(Op::Mod, {*a, *b}).value->integer == 0 : by_one;
    if (!exact) return span;
  }
  for (const Leaf& operand : operands) {
    if (operand.quotient.valid()) return operand.quotient;
  }
  return {};
}

// Warns (S104) if a quotient becomes a real number without an explicit conversion.
void Arithmetic::warn_of_quotient(const Leaf& integer, Scalar to) {
  const std::optional<Scalar> from = type_of(integer);
  if (!integer.quotient.valid() || !from || !is_integer(*from) || !is_float(to)) return;
  report_
      .warning("S104", integer.quotient,
               "an integer quotient loses its fraction before it becomes a real number")
      .hint = "real(a)/b keeps the fraction; write integer(a/b) if dropping it is intended";
}

std::optional<Leaf> Arithmetic::apply_scalar(Op op, const std::vector<Leaf>& operands, Span span,
                                             Span place) {
  if (!admissible(op, operands, place.valid() ? place : span)) return std::nullopt;
  std::optional<Leaf> result = compute_scalar(op, operands, span);
  if (!result) return result;
  result->quotient = quotient_in(*result, op, operands, span);
  result->coordinate = std::any_of(operands.begin(), operands.end(),
                                   [](const Leaf& operand) { return operand.coordinate; });
  return result;
}

std::optional<Leaf> Arithmetic::compute_scalar(Op op, const std::vector<Leaf>& operands,
                                               Span span) {
  const bool select = op == Op::Select;
  if (const auto constants = all_constant(operands)) {
    const Folded folded = fold_(op, *constants);
    if (folded.fault) {
      report_.error("S013", span, fmt::format("{} in a constant expression", folded.fault));
      return std::nullopt;
    }
    if (folded.value) {
      if (!folded.value->integer) {
        for (const Leaf& operand : operands) warn_of_quotient(operand, fallback_);
      }
      return *folded.value;
    }
  }
  if (const std::optional<Leaf> choice = choose(op, operands)) return choice;
  std::vector<Leaf> typed_operands(operands.begin() + (select ? 1 : 0), operands.end());
  Scalar type = common_type(typed_operands);
  if (class_of(op) == OpClass::Floats && !is_float(type)) type = fallback_;

  ir::Operation operation{op, {}};
  if (select) {
    const std::optional<ir::NodeId> condition = node(operands[0], Scalar::Bool, span);
    if (!condition) return std::nullopt;
    operation.operands.push_back(*condition);
  }
  const bool fixed =
      std::any_of(typed_operands.begin(), typed_operands.end(), [&](const Leaf& leaf) {
        const std::optional<Scalar> own = type_of(leaf);
        return own && is_float(*own);
      });
  if (is_float(type) && !fixed && waits_for_type_ && class_of(op) != OpClass::Comparison) {
    for (const Leaf& leaf : typed_operands) warn_of_quotient(leaf, type);
    std::vector<Leaf> parts;
    if (select) parts.emplace_back(operation.operands.front());
    parts.insert(parts.end(), typed_operands.begin(), typed_operands.end());
    return weak({WeakOperation::Kind::Operation, op, std::move(parts), span});
  }
  for (const Leaf& leaf : typed_operands) {
    warn_of_quotient(leaf, type);
    const std::optional<ir::NodeId> operand = node(leaf, type, span);
    if (!operand) return std::nullopt;
    operation.operands.push_back(*operand);
  }
  const Scalar result = class_of(op) == OpClass::Comparison ? Scalar::Bool : type;
  const ir::NodeId id = graph_.add({std::move(operation), result, span, {}});
  if (type == Scalar::F64) note_promotion(id, typed_operands, span);
  return id;
}

}  // namespace stencil::sema
