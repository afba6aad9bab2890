// One tight loop per operator and type, chosen once per node and run once per row. Dispatch costs
// one call per row instead of one per point, and the simple loops vectorise.
//
// Every operation is rounded separately in its own type (the build forbids contraction), so vector
// loops and scalar loops give the same bits. Without FMA hardware, std::fma is the correctly
// rounded function of the C library. Integers are computed in the unsigned type of the same width,
// so overflow wraps around.
//
// The tables return null for operators that the language does not define; validate.cpp refuses such
// programs before they run.
#include "compiler/reference/kernels.h"

#include <algorithm>
#include <cmath>

#include "compiler/reference/scalar_types.h"

namespace stencil::reference {
namespace {

template <class R, class A, auto kFunction>
void unary(void* out, const void* const* in, int64_t count) {
  R* __restrict r = static_cast<R*>(out);
  const A* __restrict a = static_cast<const A*>(in[0]);
  for (int64_t i = 0; i < count; ++i) r[i] = kFunction(a[i]);
}

template <class R, class A, auto kFunction>
void binary(void* out, const void* const* in, int64_t count) {
  R* __restrict r = static_cast<R*>(out);
  const A* __restrict a = static_cast<const A*>(in[0]);
  const A* __restrict b = static_cast<const A*>(in[1]);
  for (int64_t i = 0; i < count; ++i) r[i] = kFunction(a[i], b[i]);
}

template <class T, class A, auto kFunction>
void ternary(void* out, const void* const* in, int64_t count) {
  T* __restrict r = static_cast<T*>(out);
  const A* __restrict a = static_cast<const A*>(in[0]);
  const T* __restrict b = static_cast<const T*>(in[1]);
  const T* __restrict c = static_cast<const T*>(in[2]);
  for (int64_t i = 0; i < count; ++i) r[i] = kFunction(a[i], b[i], c[i]);
}

// --- Scalar functions

template <class T>
T least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T greatest(T a, T b) {
  return a < b ? b : a;
}
template <class T>
T select(bool condition, T a, T b) {
  return condition ? a : b;
}
template <class To, class From>
To converted(From a) {
  return convert<To>(a);
}

template <class T>
using Bits = std::make_unsigned_t<T>;

template <class T>
T wrapped_negate(T a) {
  return static_cast<T>(Bits<T>{0} - static_cast<Bits<T>>(a));
}
template <class T>
T wrapped_add(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
}
template <class T>
T wrapped_sub(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
}
template <class T>
T wrapped_mul(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
}
template <class T>
T wrapped_abs(T a) {
  return a < 0 ? wrapped_negate(a) : a;
}
template <class T>
T wrapped_fma(T a, T b, T c) {
  return wrapped_add(wrapped_mul(a, b), c);
}
template <class T>
T total_div(T a, T b) {
  return b == 0 ? T{0} : b == -1 ? wrapped_negate(a) : static_cast<T>(a / b);
}
template <class T>
T total_mod(T a, T b) {
  return b == 0 || b == -1 ? T{0} : static_cast<T>(a % b);
}
template <class T>
int shift_count(T b) {
  return static_cast<int>(static_cast<Bits<T>>(b) % (8 * sizeof(T)));
}
template <class T>
T shift_left(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(a) << shift_count(b));
}
template <class T>
T shift_right(T a, T b) {
  return static_cast<T>(a >> shift_count(b));
}

// --- Tables

template <class T>
Kernel comparison(Op op) {
  switch (op) {
    case Op::Lt:
      return binary<bool, T, [](T a, T b) { return a < b; }>;
    case Op::Le:
      return binary<bool, T, [](T a, T b) { return a <= b; }>;
    case Op::Gt:
      return binary<bool, T, [](T a, T b) { return b < a; }>;
    case Op::Ge:
      return binary<bool, T, [](T a, T b) { return a >= b; }>;
    case Op::Eq:
      return binary<bool, T, [](T a, T b) { return a == b; }>;
    case Op::Ne:
      return binary<bool, T, [](T a, T b) { return a != b; }>;
    default:
      return nullptr;
  }
}

Kernel bool_operation(Op op) {
  switch (op) {
    case Op::And:
    case Op::BitAnd:
      return binary<bool, bool, [](bool a, bool b) { return (a & b) != 0; }>;
    case Op::Or:
    case Op::BitOr:
      return binary<bool, bool, [](bool a, bool b) { return (a | b) != 0; }>;
    case Op::BitXor:
      return binary<bool, bool, [](bool a, bool b) { return a != b; }>;
    case Op::Not:
      return unary<bool, bool, [](bool a) { return !a; }>;
    case Op::Min:
      return binary<bool, bool, least<bool>>;
    case Op::Max:
      return binary<bool, bool, greatest<bool>>;
    case Op::Select:
      return ternary<bool, bool, select<bool>>;
    default:
      return nullptr;
  }
}

template <class T>
Kernel integer_operation(Op op) {
  switch (op) {
    case Op::Neg:
    case Op::WrapNeg:
      return unary<T, T, wrapped_negate<T>>;
    case Op::Add:
    case Op::WrapAdd:
      return binary<T, T, wrapped_add<T>>;
    case Op::Sub:
    case Op::WrapSub:
      return binary<T, T, wrapped_sub<T>>;
    case Op::Mul:
    case Op::WrapMul:
      return binary<T, T, wrapped_mul<T>>;
    case Op::Div:
      return binary<T, T, total_div<T>>;
    case Op::Mod:
      return binary<T, T, total_mod<T>>;
    case Op::Fma:
      return ternary<T, T, wrapped_fma<T>>;
    case Op::Min:
      return binary<T, T, least<T>>;
    case Op::Max:
      return binary<T, T, greatest<T>>;
    case Op::Abs:
    case Op::WrapAbs:
      return unary<T, T, wrapped_abs<T>>;
    case Op::Select:
      return ternary<T, bool, select<T>>;
    case Op::BitAnd:
      return binary<T, T, [](T a, T b) { return static_cast<T>(a & b); }>;
    case Op::BitOr:
      return binary<T, T, [](T a, T b) { return static_cast<T>(a | b); }>;
    case Op::BitXor:
      return binary<T, T, [](T a, T b) { return static_cast<T>(a ^ b); }>;
    case Op::BitNot:
      return unary<T, T, [](T a) { return static_cast<T>(~a); }>;
    case Op::Shl:
      return binary<T, T, shift_left<T>>;
    case Op::Shr:
      return binary<T, T, shift_right<T>>;
    default:
      return nullptr;
  }
}

// Functions with this number of operands (functions.def).
template <class T, auto F>
Kernel library_1() {
  return unary<T, T, F>;
}
template <class T, auto F>
Kernel library_2() {
  return binary<T, T, F>;
}

template <class T>
Kernel float_function(Op op) {
  switch (op) {
    case Op::Sqrt:
      return unary<T, T, [](T a) { return std::sqrt(a); }>;
    case Op::Rsqrt:
      return unary<T, T, [](T a) { return T{1} / std::sqrt(a); }>;
#define STENCIL_FUNCTION(op, name, operands) \
  case Op::op:                               \
    return library_##operands<T, [](auto... x) { return std::name(x...); }>();
#include "compiler/support/functions.def"
    case Op::Floor:
      return unary<T, T, [](T a) { return std::floor(a); }>;
    case Op::Ceil:
      return unary<T, T, [](T a) { return std::ceil(a); }>;
    case Op::Round:
      return unary<T, T, [](T a) { return std::round(a); }>;
    case Op::Trunc:
      return unary<T, T, [](T a) { return std::trunc(a); }>;
    default:
      return nullptr;
  }
}

template <class T>
Kernel float_operation(Op op) {
  switch (op) {
    case Op::Neg:
      return unary<T, T, [](T a) { return -a; }>;
    case Op::Add:
      return binary<T, T, [](T a, T b) { return a + b; }>;
    case Op::Sub:
      return binary<T, T, [](T a, T b) { return a - b; }>;
    case Op::Mul:
      return binary<T, T, [](T a, T b) { return a * b; }>;
    case Op::Div:
      return binary<T, T, [](T a, T b) { return a / b; }>;
    case Op::Mod:
      return binary<T, T, [](T a, T b) { return std::fmod(a, b); }>;
    case Op::Fma:
      return ternary<T, T, [](T a, T b, T c) { return std::fma(a, b, c); }>;
    case Op::Min:
      return binary<T, T, least<T>>;
    case Op::Max:
      return binary<T, T, greatest<T>>;
    case Op::Abs:
      return unary<T, T, [](T a) { return std::fabs(a); }>;
    case Op::Select:
      return ternary<T, bool, select<T>>;
    default:
      return float_function<T>(op);
  }
}

Kernel conversion(Scalar from, Scalar to) {
  return with_type(from, [&](auto source) {
    using From = decltype(source);
    return with_type(to, [](auto target) -> Kernel {
      using To = decltype(target);
      return unary<To, From, converted<To, From>>;
    });
  });
}

// Storage types have no arithmetic, but a select may choose between stored values.
template <class T>
Kernel storage_operation(Op op) {
  return op == Op::Select ? ternary<T, bool, select<T>> : nullptr;
}

Kernel arithmetic(Op op, Scalar type) {
  switch (type) {
    case Scalar::Bool:
      return bool_operation(op);
    case Scalar::I32:
      return integer_operation<int32_t>(op);
    case Scalar::I64:
      return integer_operation<int64_t>(op);
    case Scalar::F32:
      return float_operation<float>(op);
    case Scalar::F64:
      return float_operation<double>(op);
    case Scalar::I8:
      return storage_operation<int8_t>(op);
    case Scalar::U8:
      return storage_operation<uint8_t>(op);
    case Scalar::I16:
      return storage_operation<int16_t>(op);
    case Scalar::U16:
      return storage_operation<uint16_t>(op);
    case Scalar::F16:
      return storage_operation<Half>(op);
    case Scalar::BF16:
      return storage_operation<Bfloat>(op);
  }
  return nullptr;
}

}  // namespace

Kernel kernel_for(Op op, Scalar result, const std::vector<Scalar>& operands) {
  if (static_cast<int>(operands.size()) != arity(op)) return nullptr;
  if (op == Op::Convert) return conversion(operands[0], result);
  if (is_comparison(op)) {
    if (result != Scalar::Bool || operands[0] != operands[1]) return nullptr;
    return with_type(operands[0], [&](auto zero) -> Kernel {
      using T = decltype(zero);
      if constexpr (kIsStorage<T>) {
        return nullptr;
      } else {
        return comparison<T>(op);
      }
    });
  }
  const auto first_value = operands.begin() + (op == Op::Select ? 1 : 0);
  const bool same = std::all_of(first_value, operands.end(), [&](Scalar t) { return t == result; });
  if (!same || (op == Op::Select && operands[0] != Scalar::Bool)) return nullptr;
  return arithmetic(op, result);
}

void fill(Scalar type, double real, int64_t integer, void* out, int64_t count) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    T value;
    if constexpr (std::is_integral_v<T>) {
      value = convert<T>(integer);
    } else {
      value = convert<T>(real);
    }
    std::fill_n(static_cast<T*>(out), count, value);
  });
}

}  // namespace stencil::reference
