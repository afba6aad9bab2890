// Facts about integer expressions whose variables are unknown.
#include "compiler/kernel/evaluate.h"

#include <gtest/gtest.h>

namespace stencil::kernel {
namespace {

TEST(KnownPowerOfTwo, HoldsForAllValuesOfOpenVariables) {
  const Environment constants = [](const std::string& name) -> std::optional<int64_t> {
    if (name == "size") return 24;
    return std::nullopt;
  };
  const auto known = [&](const Expr& expr) { return known_power_of_two(expr, constants); };
  const Expr n = variable("N"), size = variable("size");
  EXPECT_EQ(known(integer(1)), 1);
  EXPECT_EQ(known(integer(-12)), 4);
  EXPECT_EQ(known(integer(0)), 1 << 30);
  EXPECT_EQ(known(integer(int64_t{1} << 40, Scalar::I64)), 1 << 30);
  EXPECT_EQ(known(size), 8);
  EXPECT_EQ(known(n), 1);
  EXPECT_EQ(known(mul(n, integer(4))), 4);
  EXPECT_EQ(known(mul(mul(n, integer(4)), size)), 32);
  EXPECT_EQ(known(add(mul(n, integer(4)), integer(8))), 4);
  EXPECT_EQ(known(sub(mul(n, integer(4)), integer(2))), 2);
  EXPECT_EQ(known(operation(Op::BitAnd, {add(n, integer(7)), integer(-8)})), 8);
  EXPECT_EQ(known(convert(mul(n, integer(16)), Scalar::I64)), 16);
  EXPECT_EQ(known(operation(Op::Div, {mul(n, integer(16)), integer(2)})), 1) << "not analysed";
}

}  // namespace
}  // namespace stencil::kernel
