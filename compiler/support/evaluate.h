// Scalar operators on known values: what constant folding and the checks before a run share.
#pragma once

#include <cmath>
#include <limits>

#include "compiler/support/scalar.h"

namespace stencil {

// The value of an operator on floats or doubles (scalar.h says what each means), rounded in that
// type at every operation; NaN for one that has none.
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
    case Op::Exp:
      return std::exp(a);
    case Op::Log:
      return std::log(a);
    case Op::Pow:
      return std::pow(a, b);
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::Floor:
      return std::floor(a);
    case Op::Ceil:
      return std::ceil(a);
    default:
      return std::numeric_limits<T>::quiet_NaN();
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
