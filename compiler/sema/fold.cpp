// Constant folding. Literals have no type yet, so a folded value must be correct for any type that
// it takes later. The integer track is computed exactly, as integers would be. It is dropped if it
// overflows or meets a real literal. The real track is computed in double and rounded once, when
// the type is known.
//
// Typed integers are folded too, because offsets, table indices and bounds consist of them. An
// operation that would overflow its type is not folded and happens at run time.
#include "compiler/sema/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/support/evaluate.h"

namespace stencil::sema {
namespace {

using Integer = std::optional<int64_t>;

Integer fold_integer(Op op, int64_t a, int64_t b, int bits) {
  const IntegerValue result = evaluate_integer(op, a, b, bits);
  return result.exact ? Integer(result.value) : Integer();
}

bool all_integer(const std::vector<Constant>& operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Constant& c) { return c.integer; });
}

// Whether the operation on integer literals gives an integer.
bool has_integer_track(Op op) {
  switch (op) {
    case Op::Neg:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Abs:
    case Op::Min:
    case Op::Max:
      return true;
    default:
      return false;
  }
}

// Folds an operation whose operands are all literals.
Folded fold_literals(Op op, const std::vector<Constant>& operands) {
  const Constant& a = operands[0];
  const Constant& b = operands.size() > 1 ? operands[1] : a;
  const Constant& c = operands.size() > 2 ? operands[2] : a;
  if ((op == Op::Div || op == Op::Mod) && b.real == 0) return {{}, "division by zero"};
  Constant result;
  if (all_integer(operands)) result.integer = fold_integer(op, *a.integer, *b.integer, 64);
  if (class_of(op) == OpClass::Integers) {
    if (!result.integer) return {{}, "integer overflow"};
    return {Constant::of_integer(*result.integer)};
  }
  result.real = evaluate_real(op, a.real, b.real, c.real);
  if (!std::isfinite(result.real)) return {{}, "a result that is not a finite number"};
  const bool integral = std::all_of(operands.begin(), operands.end(),
                                    [](const Constant& c) { return c.integer || c.overflowed; });
  result.overflowed = integral && has_integer_track(op) && !result.integer;
  return {result};
}

// The widest type among integers and booleans. Literals have no type and do not count.
Scalar widest(const std::vector<Constant>& operands) {
  Scalar type = Scalar::Bool;
  for (const Constant& operand : operands) type = std::max(type, operand.type.value_or(type));
  return type;
}

Folded fold_typed_integers(Op op, const std::vector<Constant>& operands) {
  const int64_t a = *operands[0].integer;
  const int64_t b = operands.size() > 1 ? *operands[1].integer : 0;
  if ((op == Op::Div || op == Op::Mod) && b == 0) return {{}, "division by zero"};
  const Scalar type = widest(operands);
  const Integer result = fold_integer(op, a, b, type == Scalar::I32 ? 32 : 64);
  if (!result) return {};
  if (type == Scalar::I32 && *result != static_cast<int32_t>(*result)) return {};
  return {Constant::of_typed(type, *result)};
}

}  // namespace

Folded fold(Op op, const std::vector<Constant>& operands) {
  if (op == Op::Select) {
    const Constant& chosen = operands[0].integer.value_or(0) != 0 ? operands[1] : operands[2];
    // Operands of different types need a common type, which is not known here.
    if (operands[1].type != operands[2].type) return {};
    return {chosen};
  }
  const bool literals = std::none_of(operands.begin(), operands.end(),
                                     [](const Constant& c) { return c.type.has_value(); });
  if (!literals && !all_integer(operands)) return {};
  if (is_comparison(op)) {
    const Constant& a = operands[0];
    const Constant& b = operands[1];
    const bool result = a.integer && b.integer ? evaluate_comparison(op, *a.integer, *b.integer)
                                               : evaluate_comparison(op, a.real, b.real);
    return {Constant::of_bool(result)};
  }
  return literals ? fold_literals(op, operands) : fold_typed_integers(op, operands);
}

Folded fold_completely(Op op, const std::vector<Constant>& operands) {
  const Folded folded = fold(op, operands);
  if (folded.value || folded.fault) return folded;
  std::vector<Constant> meeting = operands;  // the operands, converted to a common type
  const size_t first = op == Op::Select ? 1 : 0;
  const bool integers = std::all_of(operands.begin() + static_cast<std::ptrdiff_t>(first),
                                    operands.end(), [](const Constant& c) { return c.integer; });
  if (integers && op != Op::Select && fold_integer(op, 1, 1, 64)) return {{}, "integer overflow"};
  for (size_t i = first; i < meeting.size(); ++i) {
    meeting[i] = integers && op == Op::Select
                     ? Constant::of_typed(widest({operands[1], operands[2]}), *operands[i].integer)
                     : Constant{std::nullopt, std::nullopt, operands[i].real};
  }
  return fold(op, meeting);
}

}  // namespace stencil::sema
