// Emitted C++ keeps the rules of support/scalar.h: each case compiles and runs one expression of x.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/emit/emit.h"
#include "tests/unit/emit/host_library.h"
#include "tests/unit/emit/samples.h"

namespace stencil::emit {
namespace {

using kernel::Expr;

template <class In, class Out>
std::vector<Out> apply(Scalar input, Scalar output, const Expr& value, std::vector<In> in) {
  Options options;
  options.target = Target::Cpp;
  const testing_support::HostLibrary library(
      emit(samples::pointwise(input, output, value), options));
  auto* run = library.get<const char*(const In*, Out*, int64_t, const int*)>("pointwise_run");
  std::vector<Out> out(in.size());
  if (!run) return {};
  const int size = static_cast<int>(in.size());  // `struct pointwise_params`
  EXPECT_STREQ(run(in.data(), out.data(), 1, &size), nullptr);
  return out;
}

Expr x(Scalar type) {
  return kernel::variable("x", type);
}
constexpr int kLeast = std::numeric_limits<int>::min();
constexpr int kMost = std::numeric_limits<int>::max();
const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInfinity = std::numeric_limits<float>::infinity();

TEST(Arithmetic, IntegerDivisionIsTotal) {
  const Expr zero = kernel::operation(Op::Sub, {x(Scalar::I32), x(Scalar::I32)});
  const auto divide = [&](Op op, const Expr& a, const Expr& b) {
    return apply<int, int>(Scalar::I32, Scalar::I32, kernel::operation(op, {a, b}),
                           {-7, -1, 0, 1, 7});
  };
  const Expr ten = kernel::integer(10);
  EXPECT_EQ(divide(Op::Div, ten, x(Scalar::I32)), (std::vector<int>{-1, -10, 0, 10, 1}));
  EXPECT_EQ(divide(Op::Mod, ten, x(Scalar::I32)), (std::vector<int>{3, 0, 0, 0, 3}));
  EXPECT_EQ(divide(Op::Div, x(Scalar::I32), kernel::integer(2)),
            (std::vector<int>{-3, 0, 0, 0, 3}));
}

TEST(Arithmetic, ShiftsCountModuloTheWidth) {
  const auto shift = [&](Op op, int64_t count) {
    return apply<int, int>(Scalar::I32, Scalar::I32,
                           kernel::operation(op, {x(Scalar::I32), kernel::integer(count)}),
                           {-8, 3});
  };
  EXPECT_EQ(shift(Op::Shl, 33), (std::vector<int>{-16, 6}));
  EXPECT_EQ(shift(Op::Shr, 1), (std::vector<int>{-4, 1}));
  const Expr by_itself = kernel::operation(Op::Shl, {kernel::integer(1), x(Scalar::I32)});
  EXPECT_EQ((apply<int, int>(Scalar::I32, Scalar::I32, by_itself, {-1, 34})),
            (std::vector<int>{kLeast, 4}));
}

TEST(Arithmetic, FloatToIntegerSaturates) {
  const std::vector<float> in = {1.9f, -1.9f, 3e9f, -3e9f, kNan, kInfinity, 2147483520.0f};
  EXPECT_EQ((apply<float, int>(Scalar::F32, Scalar::I32,
                               kernel::convert(x(Scalar::F32), Scalar::I32), in)),
            (std::vector<int>{1, -1, kMost, kLeast, 0, kMost, 2147483520}));
  EXPECT_EQ(
      (apply<double, int64_t>(Scalar::F64, Scalar::I64,
                              kernel::convert(x(Scalar::F64), Scalar::I64), {1e30, -1e30, -2.5})),
      (std::vector<int64_t>{std::numeric_limits<int64_t>::max(),
                            std::numeric_limits<int64_t>::min(), -2}));
}

TEST(Arithmetic, MinAndMaxSelectOnNan) {
  const auto with_nan = [&](Op op) {
    return apply<float, float>(
        Scalar::F32, Scalar::F32,
        kernel::operation(op, {x(Scalar::F32), kernel::real(1, Scalar::F32)}), {kNan, 0.5f, 2});
  };
  const std::vector<float> least = with_nan(Op::Min), most = with_nan(Op::Max);
  ASSERT_EQ(least.size(), 3u);
  EXPECT_TRUE(std::isnan(least[0])) << "1 < NaN is false, so the first stays";
  EXPECT_EQ(least[1], 0.5f);
  EXPECT_EQ(least[2], 1.0f);
  EXPECT_TRUE(std::isnan(most[0]));
  EXPECT_EQ(most[2], 2.0f);
}

TEST(Arithmetic, NegationFlipsTheSignOfZero) {
  const auto out = apply<float, float>(Scalar::F32, Scalar::F32,
                                       kernel::operation(Op::Neg, {x(Scalar::F32)}), {0.0f});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(std::signbit(out[0]));
}

TEST(Arithmetic, HalfRoundsToNearestEvenOnce) {
  const Expr to_half = kernel::convert(x(Scalar::F32), Scalar::F16);
  EXPECT_EQ((apply<float, uint16_t>(
                Scalar::F32, Scalar::F16, to_half,
                {1.0f, -2.0f, 65504.0f, 65519.0f, 65520.0f, 1e6f, -kInfinity, kNan, 5.9604645e-8f,
                 2.9802322e-8f, 2.9802326e-8f, 6.1035156e-5f, 1.00048828125f, 1.00146484375f})),
            (std::vector<uint16_t>{0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x7c00, 0xfc00, 0x7e00,
                                   0x0001, 0x0000, 0x0001, 0x0400, 0x3c00, 0x3c02}));
  // Just above the midpoint of two halves, by less than a float can represent.
  const Expr from_double = kernel::convert(x(Scalar::F64), Scalar::F16);
  EXPECT_EQ((apply<double, uint16_t>(Scalar::F64, Scalar::F16, from_double,
                                     {1.00048828125 + 1e-15, 1.00048828125, 1e300, -1e-300})),
            (std::vector<uint16_t>{0x3c01, 0x3c00, 0x7c00, 0x8000}));
}

TEST(Arithmetic, HalfAndBfloatConvertToFloat) {
  EXPECT_EQ(
      (apply<uint16_t, float>(Scalar::F16, Scalar::F32, x(Scalar::F32),
                              {0x3c00, 0xc000, 0x7bff, 0x0001, 0x8001, 0x7c00, 0x0400, 0x3555})),
      (std::vector<float>{1.0f, -2.0f, 65504.0f, 0x1p-24f, -0x1p-24f, kInfinity, 0x1p-14f,
                          0.333251953125f}));
  EXPECT_EQ(
      (apply<uint16_t, float>(Scalar::BF16, Scalar::F32, x(Scalar::F32), {0x3f80, 0xc000, 0x7f80})),
      (std::vector<float>{1.0f, -2.0f, kInfinity}));
  EXPECT_EQ((apply<float, uint16_t>(Scalar::F32, Scalar::BF16,
                                    kernel::convert(x(Scalar::F32), Scalar::BF16),
                                    {1.0f, 1.00390625f, 1.01171875f, 3.4e38f, kNan})),
            (std::vector<uint16_t>{0x3f80, 0x3f80, 0x3f82, 0x7f80, 0x7fc0}));
  EXPECT_EQ((apply<double, uint16_t>(Scalar::F64, Scalar::BF16,
                                     kernel::convert(x(Scalar::F64), Scalar::BF16),
                                     {1.00390625 + 1e-12, 1e-45, 1e39})),
            (std::vector<uint16_t>{0x3f81, 0x0000, 0x7f80}));
}

TEST(Arithmetic, SmallIntegersKeepTheLowBits) {
  const auto kept = [](auto zero, Scalar type, std::vector<int> values) {
    return apply<int, decltype(zero)>(Scalar::I32, type, kernel::convert(x(Scalar::I32), type),
                                      std::move(values));
  };
  EXPECT_EQ(kept(int8_t{}, Scalar::I8, {127, 128, -129, 300, kMost, kLeast}),
            (std::vector<int8_t>{127, -128, 127, 44, -1, 0}));
  EXPECT_EQ(kept(uint8_t{}, Scalar::U8, {255, 256, -1, kMost}),
            (std::vector<uint8_t>{255, 0, 255, 255}));
  EXPECT_EQ(kept(int16_t{}, Scalar::I16, {32767, 32768, -40000}),
            (std::vector<int16_t>{32767, -32768, 25536}));
  EXPECT_EQ(kept(uint16_t{}, Scalar::U16, {65535, 65536, -1}),
            (std::vector<uint16_t>{65535, 0, 65535}));
  EXPECT_EQ(
      (apply<int64_t, uint8_t>(Scalar::I64, Scalar::U8, kernel::convert(x(Scalar::I64), Scalar::U8),
                               {(int64_t{1} << 40) + 3, -2})),
      (std::vector<uint8_t>{3, 254}));
}

TEST(Arithmetic, SmallIntegersWidenWithTheirSign) {
  const Expr more = kernel::add(x(Scalar::I32), kernel::integer(1));
  EXPECT_EQ((apply<int8_t, int>(Scalar::I8, Scalar::I32, more, {127, -128})),
            (std::vector<int>{128, -127}));
  EXPECT_EQ((apply<uint8_t, int>(Scalar::U8, Scalar::I32, more, {255, 0})),
            (std::vector<int>{256, 1}));
  EXPECT_EQ((apply<int16_t, int>(Scalar::I16, Scalar::I32, more, {-32768})),
            (std::vector<int>{-32767}));
  EXPECT_EQ((apply<uint16_t, int>(Scalar::U16, Scalar::I32, more, {65535})),
            (std::vector<int>{65536}));
}

TEST(Arithmetic, BoolsAreBytesOf0And1) {
  const Expr below = kernel::less(x(Scalar::I32), kernel::integer(3));
  EXPECT_EQ((apply<int, uint8_t>(Scalar::I32, Scalar::Bool, below, {2, 3})),
            (std::vector<uint8_t>{1, 0}));
  const Expr inverse = kernel::operation(Op::Not, {x(Scalar::Bool)});
  EXPECT_EQ((apply<uint8_t, uint8_t>(Scalar::Bool, Scalar::Bool, inverse, {0, 1, 2})),
            (std::vector<uint8_t>{1, 0, 0}));
}

TEST(Arithmetic, BoolsConvertToNumbers) {
  const Expr below = kernel::less(x(Scalar::F32), kernel::real(1, Scalar::F32));
  EXPECT_EQ(
      (apply<float, float>(Scalar::F32, Scalar::F32, kernel::convert(below, Scalar::F32), {0, 2})),
      (std::vector<float>{1, 0}));
}

TEST(Arithmetic, LongExpressionsCompile) {
  Expr chain = x(Scalar::F32);
  for (int i = 0; i < 2000; ++i) chain = kernel::add(chain, x(Scalar::F32));
  EXPECT_EQ((apply<float, float>(Scalar::F32, Scalar::F32, chain, {1})),
            (std::vector<float>{2001}));
  Expr nested = x(Scalar::F32);  // x - (x - (x - ...))
  for (int i = 0; i < 600; ++i) nested = kernel::sub(x(Scalar::F32), nested);
  EXPECT_EQ((apply<float, float>(Scalar::F32, Scalar::F32, nested, {3})), (std::vector<float>{3}));
}

}  // namespace
}  // namespace stencil::emit
