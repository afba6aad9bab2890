#include "compiler/support/numbers.h"

#include <gtest/gtest.h>

namespace stencil {
namespace {

TEST(Numbers, Integers) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-17"), -17);
  EXPECT_EQ(parse_integer("+17"), 17);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  for (const char* text :
       {"", "+", "-", "+-1", "++1", " 1", "1 ", "1.0", "1e3", "0x10", "x", "9223372036854775808"}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
}

TEST(Numbers, Reals) {
  EXPECT_EQ(parse_real("0.1"), 0.1);
  EXPECT_EQ(parse_real("-2"), -2.0);
  EXPECT_EQ(parse_real("+.5"), 0.5);
  EXPECT_EQ(parse_real("5."), 5.0);
  EXPECT_EQ(parse_real("1e-3"), 1e-3);
  EXPECT_EQ(parse_real("1E+300"), 1e300);
  EXPECT_EQ(parse_real("4.9406564584124654e-324"), 0x1p-1074);
  for (const char* text : {"", ".", "+", "+-1", "0,1", " 1", "1 ", "1e", "0x1p3", "inf", "-nan",
                           "1e400", "1e-400", "1.5f"}) {
    EXPECT_FALSE(parse_real(text)) << text;
  }
}

TEST(Numbers, MustFitTheirType) {
  EXPECT_EQ(parse_integer("2147483647", Scalar::I32), INT32_MAX);
  EXPECT_FALSE(parse_integer("2147483648", Scalar::I32));
  EXPECT_EQ(parse_integer("2147483648", Scalar::I64), int64_t{1} << 31);
  EXPECT_EQ(parse_integer("1", Scalar::Bool), 1);
  EXPECT_FALSE(parse_integer("2", Scalar::Bool));
  EXPECT_EQ(parse_real("1e300", Scalar::F64), 1e300);
  EXPECT_EQ(parse_real("0", Scalar::F32), 0);
  EXPECT_EQ(parse_real("1e-44", Scalar::F32), 1e-44);  // rounded later, by its user
  for (const char* text : {"1e300", "-1e39", "1e-60", "nan", "inf"}) {
    EXPECT_FALSE(parse_real(text, Scalar::F32)) << text;
  }
  EXPECT_FALSE(parse_integer("9", 1, 8));
  EXPECT_EQ(parse_integer("8", 1, 8), 8);
}

}  // namespace
}  // namespace stencil
