// Operators and conversions at the corner cases that support/scalar.h defines.
#include "compiler/reference/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/reference/scalar_types.h"

namespace stencil::reference {
namespace {

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class R, class... A>
R apply(Op op, Scalar result, std::vector<Scalar> types, A... arguments) {
  const Kernel kernel = kernel_for(op, result, types);
  EXPECT_NE(kernel, nullptr);
  R out{};
  const void* const in[] = {&arguments...};
  if (kernel != nullptr) kernel(&out, in, 1);
  return out;
}
int32_t integers(Op op, int32_t a, int32_t b) {
  return apply<int32_t>(op, Scalar::I32, {Scalar::I32, Scalar::I32}, a, b);
}
float floats(Op op, float a, float b) {
  return apply<float>(op, Scalar::F32, {Scalar::F32, Scalar::F32}, a, b);
}

TEST(Kernels, IntegerDivisionIsTotal) {
  EXPECT_EQ(integers(Op::Div, -7, 2), -3);
  EXPECT_EQ(integers(Op::Mod, -7, 2), -1);
  EXPECT_EQ(integers(Op::Div, 7, 0), 0);
  EXPECT_EQ(integers(Op::Mod, 7, 0), 0);
  EXPECT_EQ(integers(Op::Div, kLeast, -1), kLeast);
  EXPECT_EQ(integers(Op::Mod, kLeast, -1), 0);
}

TEST(Kernels, ShiftsTakeTheCountModuloTheWidth) {
  EXPECT_EQ(integers(Op::Shl, 3, 33), 6);
  EXPECT_EQ(integers(Op::Shl, 1, -1), kLeast);
  EXPECT_EQ(integers(Op::Shr, -8, 1), -4);
  EXPECT_EQ(integers(Op::Shr, -8, 32), -8);
  const auto wide =
      apply<int64_t>(Op::Shl, Scalar::I64, {Scalar::I64, Scalar::I64}, int64_t{1}, int64_t{33});
  EXPECT_EQ(wide, int64_t{1} << 33);
}

TEST(Kernels, MinAndMaxReturnTheFirstUnlessTheSecondIsStrictlyBeyond) {
  EXPECT_TRUE(std::isnan(floats(Op::Min, kNan, 1)));
  EXPECT_EQ(floats(Op::Min, 1, kNan), 1);
  EXPECT_TRUE(std::isnan(floats(Op::Max, kNan, 1)));
  EXPECT_EQ(floats(Op::Max, 1, kNan), 1);
  EXPECT_TRUE(std::signbit(floats(Op::Min, -0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(floats(Op::Max, 0.0f, -0.0f)));
}

TEST(Kernels, FmaRoundsOnce) {
  const float a = 1 + 0x1p-12f;  // a * a = 1 + 2^-11 + 2^-24; only an fma keeps the last bit
  const auto fused = apply<float>(Op::Fma, Scalar::F32, {Scalar::F32, Scalar::F32, Scalar::F32}, a,
                                  a, -(1 + 0x1p-11f));
  EXPECT_EQ(fused, 0x1p-24f);
  EXPECT_EQ(floats(Op::Add, floats(Op::Mul, a, a), -(1 + 0x1p-11f)), 0);
}

TEST(Kernels, NegationFlipsTheSignBit) {
  EXPECT_TRUE(std::signbit(apply<float>(Op::Neg, Scalar::F32, {Scalar::F32}, 0.0f)));
  EXPECT_EQ(apply<int32_t>(Op::Neg, Scalar::I32, {Scalar::I32}, kLeast), kLeast);
  EXPECT_EQ(apply<int32_t>(Op::Abs, Scalar::I32, {Scalar::I32}, -5), 5);
}

TEST(Kernels, RsqrtIsOneOverSqrt) {
  const volatile float root = std::sqrt(3.0f);
  EXPECT_EQ(apply<float>(Op::Rsqrt, Scalar::F32, {Scalar::F32}, 3.0f), 1.0f / root);
}

TEST(Kernels, RoundTakesHalvesAwayFromZero) {
  const auto of = [](Op op, float x) { return apply<float>(op, Scalar::F32, {Scalar::F32}, x); };
  EXPECT_EQ(of(Op::Round, 0.5f), 1);
  EXPECT_EQ(of(Op::Round, -2.5f), -3);
  EXPECT_EQ(of(Op::Round, 0.49999997f), 0);
  EXPECT_EQ(of(Op::Trunc, -1.9f), -1);
  EXPECT_EQ(of(Op::Cbrt, 27), 3);
  EXPECT_EQ(apply<double>(Op::Hypot, Scalar::F64, {Scalar::F64, Scalar::F64}, 3.0, 4.0), 5);
}

TEST(Kernels, UndefinedCombinationsHaveNoKernel) {
  EXPECT_EQ(kernel_for(Op::Add, Scalar::F32, {Scalar::F32, Scalar::F64}), nullptr);
  EXPECT_EQ(kernel_for(Op::Add, Scalar::F32, {Scalar::F32}), nullptr);
  EXPECT_EQ(kernel_for(Op::Add, Scalar::F16, {Scalar::F16, Scalar::F16}), nullptr);
  EXPECT_EQ(kernel_for(Op::BitAnd, Scalar::F32, {Scalar::F32, Scalar::F32}), nullptr);
  EXPECT_EQ(kernel_for(Op::Select, Scalar::I32, {Scalar::I32, Scalar::I32, Scalar::I32}), nullptr);
}

TEST(Convert, FloatsTruncateAndSaturate) {
  EXPECT_EQ((convert<int32_t>(-1.9f)), -1);
  EXPECT_EQ((convert<int32_t>(3e9f)), std::numeric_limits<int32_t>::max());
  EXPECT_EQ((convert<int32_t>(-2147483648.5)), kLeast);
  EXPECT_EQ((convert<int32_t>(-INFINITY)), kLeast);
  EXPECT_EQ((convert<int32_t>(kNan)), 0);
  EXPECT_EQ((convert<int64_t>(1e30)), std::numeric_limits<int64_t>::max());
  EXPECT_EQ((convert<int64_t>(-0x1p63)), std::numeric_limits<int64_t>::min());
  EXPECT_EQ((convert<bool>(0.5f)), true);
}

TEST(Convert, SmallIntegersKeepTheLowBits) {
  EXPECT_EQ((convert<int8_t>(int32_t{200})), -56);
  EXPECT_EQ((convert<uint8_t>(int32_t{-1})), 255);
  EXPECT_EQ((convert<int16_t>(int64_t{98304})), -32768);
  EXPECT_EQ((convert<uint16_t>(int64_t{-65537})), 65535);
  EXPECT_EQ((convert<int32_t>(int8_t{-56})), -56);
  EXPECT_EQ((convert<double>(uint16_t{65535})), 65535);
  EXPECT_EQ((convert<uint8_t>(257.9)), 1);
  EXPECT_EQ(kernel_for(Op::Add, Scalar::U8, {Scalar::U8, Scalar::U8}), nullptr);
  EXPECT_EQ(kernel_for(Op::Lt, Scalar::Bool, {Scalar::I16, Scalar::I16}), nullptr);
}

TEST(Convert, HalfRoundsToNearestEven) {
  EXPECT_EQ(to_half(1.0).bits, 0x3c00);
  EXPECT_EQ(to_half(1 + 0x1p-11).bits, 0x3c00);            // a tie, to even
  EXPECT_EQ(to_half(1 + 3 * 0x1p-11).bits, 0x3c02);        // a tie, to even
  EXPECT_EQ(to_half(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);  // a tie in float: rounds only once
  EXPECT_EQ(to_half(65519.99).bits, 0x7bff);
  EXPECT_EQ(to_half(65520.0).bits, 0x7c00);
  EXPECT_EQ(to_half(-1e300).bits, 0xfc00);
  EXPECT_EQ(to_half(0x1p-25).bits, 0x0000);
  EXPECT_EQ(to_half(0x1.8p-25).bits, 0x0001);
  EXPECT_EQ(to_half(0x1.ffcp-15).bits, 0x0400);  // the largest subnormal's upper tie becomes normal
  EXPECT_EQ(to_half(-0.0).bits, 0x8000);
  EXPECT_TRUE(std::isnan(widen(to_half(NAN))));
}

TEST(Convert, EveryStorageValueRoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const bool half_is_nan = std::isnan(widen(half));
    EXPECT_TRUE(half_is_nan || to_half(widen(half)).bits == bits) << bits;
    const Bfloat bfloat{static_cast<uint16_t>(bits)};
    const bool bfloat_is_nan = std::isnan(widen(bfloat));
    EXPECT_TRUE(bfloat_is_nan || to_bfloat(widen(bfloat)).bits == bits) << bits;
  }
  EXPECT_EQ(widen(Half{0x3555}), 0.333251953125f);
  EXPECT_EQ(widen(Half{0x0001}), 0x1p-24f);
  EXPECT_EQ(widen(Half{0xfc00}), -INFINITY);
}

TEST(Convert, IntegersToBfloatRoundOnce) {
  // 2^62 + 2^54 is a tie between neighbours that are 2^55 apart. One more unit rounds it up;
  // converting through double would lose that unit.
  const int64_t tie = (int64_t{1} << 62) + (int64_t{1} << 54);
  EXPECT_EQ(widen(convert<Bfloat>(tie)), 0x1p62f);
  EXPECT_EQ(widen(convert<Bfloat>(tie + 1)), 0x1p62f + 0x1p55f);
}

}  // namespace
}  // namespace stencil::reference
