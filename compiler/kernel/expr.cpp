// Builders of kernel expressions. Lowering composes index arithmetic from many small parts (tile
// origins, halos, thread strides), and most of it collapses once the sizes are literals. Folding in
// the builders keeps lowering free of special cases and the output readable: `(x + 1) - 1` never
// reaches a writer.
//
// The builders fold only what cannot change a result. Integer rules may assume that no result
// overflows: operations that may overflow have operators of their own (Op::WrapAdd, ...), which are
// not folded. A fold that would itself overflow the type is not made. Floating-point arithmetic is
// never changed here: the passes on the stencil IR alone decide which operations happen and in
// which order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/kernel/kernel.h"
#include "compiler/support/evaluate.h"
#include "compiler/support/work.h"

namespace stencil::kernel {

namespace {

Expr make(std::variant<IntegerLiteral, RealLiteral, Variable, Operation, Load> kind, Scalar type) {
  support::count_work();
  return std::make_shared<const ExprNode>(ExprNode{std::move(kind), type});
}

std::optional<int64_t> literal(const Expr& expr) {
  if (const auto* value = std::get_if<IntegerLiteral>(&expr->kind)) return value->value;
  return std::nullopt;
}

bool fits(int64_t value, Scalar type) {
  if (type == Scalar::Bool) return value == 0 || value == 1;
  return type == Scalar::I64 || (value >= std::numeric_limits<int32_t>::min() &&
                                 value <= std::numeric_limits<int32_t>::max());
}

// The value of `op` on two integers of `type`; nullopt if it overflows or `op` is not folded.
std::optional<int64_t> fold(Op op, int64_t a, int64_t b, Scalar type) {
  if (is_comparison(op)) return evaluate_comparison(op, a, b);
  int64_t result = 0;
  switch (op) {
    case Op::Add:
      if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
      break;
    case Op::Sub:
      if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
      break;
    case Op::Mul:
      if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
      break;
    case Op::Div:
      if (b == -1) return fold(Op::Sub, 0, a, type);
      result = b == 0 ? 0 : a / b;
      break;
    case Op::Mod:
      result = b == 0 || b == -1 ? 0 : a % b;
      break;
    case Op::Min:
      result = b < a ? b : a;
      break;
    case Op::Max:
      result = a < b ? b : a;
      break;
    case Op::BitAnd:
      result = a & b;
      break;
    case Op::BitOr:
      result = a | b;
      break;
    case Op::BitXor:
      result = a ^ b;
      break;
    default:
      return std::nullopt;  // shifts and float functions are left to the target
  }
  return fits(result, type) ? std::optional(result) : std::nullopt;
}

// x + c with the literal c split off. `value` is null if the expression is a literal.
struct Offset {
  Expr value;
  int64_t constant;
};

Offset split_constant(const Expr& expr) {
  if (const auto value = literal(expr)) return {nullptr, *value};
  if (const auto* node = std::get_if<Operation>(&expr->kind)) {
    const bool plus = node->op == Op::Add;
    if (plus || node->op == Op::Sub) {
      const auto constant = literal(node->operands[1]);
      if (constant && *constant != std::numeric_limits<int64_t>::min()) {
        return {node->operands[0], plus ? *constant : -*constant};
      }
    }
  }
  return {expr, 0};
}

// value + constant, written as a difference if the constant is negative.
Expr join(const Expr& value, int64_t constant, Scalar type) {
  if (constant == 0) return value;
  if (constant < 0 && fits(-constant, type)) {
    return make(Operation{Op::Sub, {value, integer(-constant, type)}}, type);
  }
  return make(Operation{Op::Add, {value, integer(constant, type)}}, type);
}

// Sums keep their literals together at the end: (x + 1) + (y - 3) becomes x + y - 2.
Expr simplify_sum(Op op, const Expr& a, const Expr& b) {
  const Scalar type = a->type;
  const Offset left = split_constant(a);
  const Offset right = split_constant(b);
  const auto constant = fold(op, left.constant, right.constant, type);
  if (!constant || *constant == std::numeric_limits<int64_t>::min()) return nullptr;
  if (!right.value)
    return left.value ? join(left.value, *constant, type) : integer(*constant, type);
  if (!left.value) {
    if (op == Op::Add) return join(right.value, *constant, type);
    if (*constant == 0) return make(Operation{Op::Neg, {right.value}}, type);
    return make(Operation{Op::Sub, {integer(*constant, type), right.value}}, type);
  }
  if (op == Op::Sub && left.value == right.value) return integer(*constant, type);
  return join(make(Operation{op, {left.value, right.value}}, type), *constant, type);
}

bool same(const Expr& a, const Expr& b) {
  if (a == b) return true;
  if (a->type != b->type || a->kind.index() != b->kind.index()) return false;
  if (const auto value = literal(a)) return *value == *literal(b);
  if (const auto* name = std::get_if<Variable>(&a->kind)) {
    return name->name == std::get<Variable>(b->kind).name;
  }
  const auto* left = std::get_if<Operation>(&a->kind);
  if (!left) return false;
  const Operation& right = std::get<Operation>(b->kind);
  return left->op == right.op && std::equal(left->operands.begin(), left->operands.end(),
                                            right.operands.begin(), right.operands.end(), same);
}

// Drops a redundant bound, which differs from another one only by a literal: min(min(x - 1, y), x)
// becomes min(x - 1, y).
Expr simplify_extremum(Op op, const Expr& a, const Expr& b) {
  const Offset left = split_constant(a);
  const Offset right = split_constant(b);
  if (left.value && right.value && same(left.value, right.value)) {
    return (left.constant < right.constant) == (op == Op::Min) ? a : b;
  }
  const auto* node = std::get_if<Operation>(&a->kind);
  if (!node || node->op != op) return nullptr;
  for (const size_t i : {0, 1}) {
    const Expr simple = simplify_extremum(op, node->operands[i], b);
    if (simple)
      return operation(op,
                       {i == 0 ? simple : node->operands[0], i == 0 ? node->operands[1] : simple});
  }
  return nullptr;
}

Expr simplify_integer(Op op, const Expr& a, const Expr& b) {
  const auto left = literal(a);
  const auto right = literal(b);
  if (left && right) {
    const auto value = fold(op, *left, *right, a->type);
    if (!value) return nullptr;
    return is_comparison(op) ? boolean(*value != 0) : integer(*value, a->type);
  }
  switch (op) {
    case Op::Add:
    case Op::Sub:
      return simplify_sum(op, a, b);
    case Op::Mul:
      if (left == 0 || right == 1) return a;
      if (right == 0 || left == 1) return b;
      return nullptr;
    case Op::Div:
      return right == 1 ? a : nullptr;
    case Op::Mod:
      return right == 1 ? integer(0, a->type) : nullptr;
    case Op::Min:
    case Op::Max:
      return simplify_extremum(op, a, b);
    default:
      return nullptr;
  }
}

// Moves a select between sums into their literals: c ? x : x + 4 becomes x + (c ? 0 : 4).
Expr simplify_choice(const std::vector<Expr>& operands) {
  const Offset left = split_constant(operands[1]);
  const Offset right = split_constant(operands[2]);
  const Scalar type = operands[1]->type;
  if (!left.value || !right.value || operands[2]->type != type || !same(left.value, right.value)) {
    return nullptr;
  }
  if (left.constant == right.constant) return operands[1];
  if (!fits(left.constant, type) || !fits(right.constant, type)) return nullptr;
  return make(Operation{Op::Add,
                        {left.value, make(Operation{Op::Select,
                                                    {operands[0], integer(left.constant, type),
                                                     integer(right.constant, type)}},
                                          type)}},
              type);
}

Expr simplify_logic(Op op, const std::vector<Expr>& operands) {
  switch (op) {
    case Op::Not:
      if (const auto value = literal(operands[0])) return boolean(*value == 0);
      return nullptr;
    case Op::And:
      if (const auto value = literal(operands[0])) return *value ? operands[1] : boolean(false);
      if (const auto value = literal(operands[1])) return *value ? operands[0] : boolean(false);
      return nullptr;
    case Op::Or:
      if (const auto value = literal(operands[0])) return *value ? boolean(true) : operands[1];
      if (const auto value = literal(operands[1])) return *value ? boolean(true) : operands[0];
      return nullptr;
    case Op::Select:
      if (const auto value = literal(operands[0])) return *value ? operands[1] : operands[2];
      if (operands[1] == operands[2]) return operands[1];
      return is_integer(operands[1]->type) ? simplify_choice(operands) : nullptr;
    default:
      return nullptr;
  }
}

// Converts all operands to I64 if one is I64. Small tile sizes are I32 literals, but a grid size
// may be I64.
void widen(std::vector<Expr>& operands, size_t first) {
  bool wide = false;
  for (size_t i = first; i < operands.size(); ++i) {
    if (!is_integer(operands[i]->type)) return;
    wide |= operands[i]->type == Scalar::I64;
  }
  for (size_t i = first; wide && i < operands.size(); ++i) {
    operands[i] = convert(operands[i], Scalar::I64);
  }
}

}  // namespace

Expr integer(int64_t value, Scalar type) {
  return make(IntegerLiteral{value}, type);
}
Expr named_integer(int64_t value, std::string name) {
  return make(IntegerLiteral{value, std::move(name)}, Scalar::I32);
}
Expr boolean(bool value) {
  return integer(value ? 1 : 0, Scalar::Bool);
}

Expr real(double value, Scalar type) {
  return make(
      RealLiteral{type == Scalar::F32 ? static_cast<double>(static_cast<float>(value)) : value},
      type);
}

Expr variable(std::string name, Scalar type) {
  return make(Variable{std::move(name)}, type);
}

Expr load(BufferId buffer, std::vector<Expr> index, Scalar type) {
  return make(Load{buffer, std::move(index)}, type);
}

Expr convert(Expr value, Scalar type) {
  if (value->type == type) return value;
  if (const auto constant = literal(value)) {
    if (type == Scalar::Bool) return boolean(*constant != 0);
    if (is_integer(type) && fits(*constant, type)) return integer(*constant, type);
    if (type == Scalar::F32) return real(static_cast<float>(*constant), type);
    if (type == Scalar::F64) return real(static_cast<double>(*constant), type);
  }
  if (const auto* constant = std::get_if<RealLiteral>(&value->kind)) {
    if (type == Scalar::F32 || type == Scalar::F64) return real(constant->value, type);
  }
  return make(Operation{Op::Convert, {std::move(value)}}, type);
}
Expr as_long(const Expr& value) {
  return convert(value, Scalar::I64);
}

Expr operation(Op op, std::vector<Expr> operands) {
  if (op != Op::Shl && op != Op::Shr) widen(operands, op == Op::Select ? 1 : 0);
  if (Expr simple = simplify_logic(op, operands)) return simple;
  if (operands.size() == 2 && is_integer(operands[0]->type) &&
      operands[0]->type == operands[1]->type) {
    if (Expr simple = simplify_integer(op, operands[0], operands[1])) return simple;
  }
  if (op == Op::Neg && is_integer(operands[0]->type)) {
    const auto value = literal(operands[0]);
    const auto negated = value ? fold(Op::Sub, 0, *value, operands[0]->type) : std::nullopt;
    if (negated) return integer(*negated, operands[0]->type);
  }
  const bool logical = is_comparison(op) || op == Op::And || op == Op::Or || op == Op::Not;
  const bool shift = op == Op::Shl || op == Op::Shr;
  const Scalar type = logical ? Scalar::Bool : shift ? operands[0]->type : operands.back()->type;
  return make(Operation{op, std::move(operands)}, type);
}

Expr all_of(std::vector<Expr> conditions) {
  Expr result = boolean(true);
  for (Expr& condition : conditions) result = operation(Op::And, {result, std::move(condition)});
  return result;
}

Expr zero(Scalar type) {
  const Scalar arithmetic = arithmetic_type(type);
  return convert(is_float(arithmetic) ? real(0, arithmetic) : integer(0, arithmetic), type);
}

}  // namespace stencil::kernel
