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

}  // namespace
}  // namespace stencil
