// The C++ types behind the scalar types, and the conversions between them as support/scalar.h
// defines them: conversions to integers truncate and saturate, narrowing an integer keeps the low
// bits, and conversions to half and bfloat round once to nearest even. Half, Bfloat and integers of
// 8 and 16 bits are only stored; arithmetic never uses them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "compiler/support/scalar.h"

namespace stencil::reference {

struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};

template <class T>
constexpr bool kIsNarrowFloat = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;
template <class T>
constexpr bool kIsStorage = kIsNarrowFloat<T> ||
                            (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) < 4);

// `value` in the binary format with the given field widths, rounded once to nearest even. Floats
// are passed as double, which is exact.
template <int kExponentBits, int kMantissaBits>
uint16_t narrow(double value) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr uint64_t kInfinity = ((uint64_t{1} << kExponentBits) - 1) << kMantissaBits;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = (bits >> 63) << (kExponentBits + kMantissaBits);
  if (std::isnan(value)) {
    return static_cast<uint16_t>(sign | kInfinity | (uint64_t{1} << (kMantissaBits - 1)));
  }
  if (std::isinf(value)) return static_cast<uint16_t>(sign | kInfinity);

  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  const int target_exponent = exponent < 1 - kBias ? 1 - kBias : exponent;
  const int shift = 52 - kMantissaBits + (target_exponent - exponent);
  // Less than half of the smallest subnormal, including double's own subnormals.
  if (shift >= 54) return static_cast<uint16_t>(sign);
  const uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  const uint64_t halfway = uint64_t{1} << (shift - 1);
  const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  uint64_t kept = significand >> shift;
  if (rest > halfway || (rest == halfway && (kept & 1) != 0)) ++kept;
  // `kept` of a normal number includes the leading one, which adds 1 to the exponent field. A carry
  // from rounding also increments the exponent.
  const uint64_t magnitude =
      (static_cast<uint64_t>(target_exponent + kBias - 1) << kMantissaBits) + kept;
  return static_cast<uint16_t>(sign | (magnitude < kInfinity ? magnitude : kInfinity));
}

inline Half to_half(double value) {
  return {narrow<5, 10>(value)};
}
inline Bfloat to_bfloat(double value) {
  return {narrow<8, 7>(value)};
}

inline float widen(Half value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  const uint32_t exponent = (value.bits >> 10) & 0x1f;
  const uint32_t mantissa = value.bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  return std::bit_cast<float>(sign | ((exponent + 127 - 15) << 23) | (mantissa << 13));
}
inline float widen(Bfloat value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

// An integer as a double that rounds to the same half or bfloat. Beyond 2^53 the low bits are
// merged into a sticky bit, so that rounding here cannot combine with the rounding that follows.
inline double sticky_double(int64_t value) {
  constexpr int64_t kLow = 0xfff;
  if (value < (int64_t{1} << 53) && value > -(int64_t{1} << 53)) return static_cast<double>(value);
  return static_cast<double>((value & ~kLow) | ((value & kLow) != 0 ? kLow + 1 : 0));
}

template <class To, class From>
To truncate_saturating(From value) {
  constexpr double kAbove = -static_cast<double>(std::numeric_limits<To>::min());  // max + 1
  const double exact = value;
  if (std::isnan(exact)) return 0;
  if (exact >= kAbove) return std::numeric_limits<To>::max();
  if (exact < -kAbove) return std::numeric_limits<To>::min();
  return static_cast<To>(value);
}

// Op::Convert.
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsNarrowFloat<From>) {
    return convert<To>(widen(value));
  } else if constexpr (kIsNarrowFloat<To>) {
    double exact;
    if constexpr (std::is_integral_v<From>) {
      exact = sticky_double(static_cast<int64_t>(value));
    } else {
      exact = value;
    }
    if constexpr (std::is_same_v<To, Half>) {
      return to_half(exact);
    } else {
      return to_bfloat(exact);
    }
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    using Wide = std::conditional_t<kIsStorage<To>, int32_t, To>;
    return static_cast<To>(truncate_saturating<Wide>(value));
  } else {
    return static_cast<To>(value);
  }
}

// Calls f with a value-initialised object of the type behind `type`: with_type(t, [](auto zero) {
// using T = decltype(zero); ... }).
template <class F>
decltype(auto) with_type(Scalar type, F f) {
  switch (type) {
    case Scalar::Bool:
      return f(bool{});
    case Scalar::I8:
      return f(int8_t{});
    case Scalar::U8:
      return f(uint8_t{});
    case Scalar::I16:
      return f(int16_t{});
    case Scalar::U16:
      return f(uint16_t{});
    case Scalar::I32:
      return f(int32_t{});
    case Scalar::I64:
      return f(int64_t{});
    case Scalar::F16:
      return f(Half{});
    case Scalar::BF16:
      return f(Bfloat{});
    case Scalar::F32:
      return f(float{});
    case Scalar::F64:
      break;
  }
  return f(double{});
}

}  // namespace stencil::reference
