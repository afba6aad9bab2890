#include "compiler/support/division.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace stencil {
namespace {

using Kind = MultipliedDivision::Kind;

std::optional<Kind> kind(double divisor, Scalar type = Scalar::F32) {
  const auto form = multiply_out(divisor, type);
  return form ? std::optional(form->kind) : std::nullopt;
}

TEST(MultiplyOut, PowersOfTwoHaveExactReciprocals) {
  for (const double c : {1.0, 2.0, -0.5, 0x1p126, 0x1p-126, -0x1p-127}) {
    EXPECT_EQ(kind(c), Kind::Exact) << c;
    EXPECT_EQ(multiply_out(c, Scalar::F32)->reciprocal, 1 / c);
  }
  EXPECT_EQ(kind(0x1p127), std::nullopt) << "a subnormal reciprocal";
  EXPECT_EQ(kind(0x1p-128), std::nullopt) << "too large a reciprocal";
  EXPECT_EQ(kind(0x1p127, Scalar::F64), Kind::Exact);
  EXPECT_EQ(kind(0x1p-1074, Scalar::F64), std::nullopt);
}

TEST(MultiplyOut, IntegersAreOddOrEven) {
  for (const double c : {3.0, -7.0, 159.0, 0x1p20 - 1}) EXPECT_EQ(kind(c), Kind::Odd) << c;
  for (const double c : {6.0, -118.0, 0x1p20 - 2}) EXPECT_EQ(kind(c), Kind::Even) << c;
  EXPECT_EQ(multiply_out(-118, Scalar::F32)->reciprocal, -1 / 118.0f);
  EXPECT_EQ(multiply_out(-118, Scalar::F64)->reciprocal, -1 / 118.0);
  EXPECT_EQ(kind(0x1p49 - 1, Scalar::F64), Kind::Odd);
}

TEST(MultiplyOut, UnprovedDivisorsAreNotReplaced) {
  for (const double c :
       {0.0, -0.0, 0.3, 2.5, 1e-40, 1e38, 0x1p20 + 1, 0x1p20 + 2,
        std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(kind(c), std::nullopt) << c;
  }
  EXPECT_EQ(kind(0x1p49 + 1, Scalar::F64), std::nullopt);
  EXPECT_EQ(kind(3, Scalar::I32), std::nullopt);
}

}  // namespace
}  // namespace stencil
