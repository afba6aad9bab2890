// Scalar operators on known values, shared by constant folding and the checks before a run.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "compiler/support/scalar.h"

namespace stencil {

// The value of an operator on floats or doubles (scalar.h defines the operators), rounded to that
// type in every operation; NaN for operators that are not defined on floats.
template <typename T>
T evaluate_real(Op op, T a, T b, T c) {
  switch (op) {
    case Op::Neg:
      return -a;
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
      return a / b;
    case Op::Mod:
      return std::fmod(a, b);
    case Op::Fma:
      return std::fma(a, b, c);
    case Op::Min:
      return b < a ? b : a;
    case Op::Max:
      return a < b ? b : a;
    case Op::Abs:
      return std::fabs(a);
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::Rsqrt:
      return 1 / std::sqrt(a);
#define STENCIL_OPERANDS_1 (a)
#define STENCIL_OPERANDS_2 (a, b)
#define STENCIL_FUNCTION(op, name, operands) \
  case Op::op:                               \
    return std::name STENCIL_OPERANDS_##operands;
#include "compiler/support/functions.def"
#undef STENCIL_OPERANDS_1
#undef STENCIL_OPERANDS_2
    case Op::Floor:
      return std::floor(a);
    case Op::Ceil:
      return std::ceil(a);
    case Op::Round:
      return std::round(a);
    case Op::Trunc:
      return std::trunc(a);
    default:
      return std::numeric_limits<T>::quiet_NaN();
  }
}

// The value of an operator on 64-bit integers, which wraps. `exact` is false if the mathematical
// value differs or does not exist: for a division by zero, or for an operator that is not defined
// on integers.
struct IntegerValue {
  int64_t value = 0;
  bool exact = true;
};
// `bits`: the width of the type, which shifts and wrapping operators depend on.
inline IntegerValue evaluate_integer(Op op, int64_t a, int64_t b, int bits) {
  IntegerValue out;
  const int64_t count = b & (bits - 1);
  switch (op) {
    case Op::Neg:
      out.exact = !__builtin_sub_overflow(int64_t{0}, a, &out.value);
      return out;
    case Op::Add:
      out.exact = !__builtin_add_overflow(a, b, &out.value);
      return out;
    case Op::Sub:
      out.exact = !__builtin_sub_overflow(a, b, &out.value);
      return out;
    case Op::Mul:
      out.exact = !__builtin_mul_overflow(a, b, &out.value);
      return out;
    case Op::Div:
      if (b == 0) return {0, false};
      return b == -1 ? evaluate_integer(Op::Neg, a, 0, bits) : IntegerValue{a / b};
    case Op::Mod:
      if (b == 0) return {0, false};
      return {b == -1 ? 0 : a % b};
    case Op::Min:
      return {b < a ? b : a};
    case Op::Max:
      return {a < b ? b : a};
    case Op::Abs:
      return a < 0 ? evaluate_integer(Op::Neg, a, 0, bits) : IntegerValue{a};
    case Op::And:
    case Op::BitAnd:
      return {a & b};
    case Op::Or:
    case Op::BitOr:
      return {a | b};
    case Op::BitXor:
      return {a ^ b};
    case Op::BitNot:
      return {~a};
    case Op::Not:
      return {a == 0};
    case Op::Shl:
      return {static_cast<int64_t>(static_cast<uint64_t>(a) << count)};
    case Op::Shr:
      return {a >> count};
    case Op::WrapNeg:
      return evaluate_integer(Op::WrapSub, 0, a, bits);
    case Op::WrapAbs:
      return a < 0 ? evaluate_integer(Op::WrapSub, 0, a, bits) : IntegerValue{a};
    case Op::WrapAdd:
    case Op::WrapSub:
    case Op::WrapMul: {
      const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
      const uint64_t low = op == Op::WrapAdd ? x + y : op == Op::WrapSub ? x - y : x * y;
      return {bits == 32 ? static_cast<int32_t>(low) : static_cast<int64_t>(low)};
    }
    default:
      return {0, false};
  }
}

// The value of a comparison, Lt to Ne.
template <typename T>
bool evaluate_comparison(Op op, T a, T b) {
  switch (op) {
    case Op::Lt:
      return a < b;
    case Op::Le:
      return a <= b;
    case Op::Gt:
      return a > b;
    case Op::Ge:
      return a >= b;
    case Op::Eq:
      return a == b;
    default:
      return a != b;
  }
}

}  // namespace stencil
