// Polynomials in the sizes, inequalities between them, and the ranges of integer expressions.
#include <gtest/gtest.h>

#include "compiler/lift/ranges.h"

namespace stencil::lifter {
namespace {

class PolyTest : public testing::Test {
 protected:
  X symbol(int id, CScalar type = CScalar::I32) {
    return pool_.leaf(XKind::Symbol, type, id, std::string(1, static_cast<char>('m' + id)));
  }
  Pool pool_;
};

TEST_F(PolyTest, DetectsContradictoryRequirements) {
  const Poly m = Poly::atom(symbol(0)), n = Poly::atom(symbol(1));
  EXPECT_TRUE(contradictory({n - Poly(2), Poly(1) - n}));
  EXPECT_FALSE(contradictory({n - Poly(2), Poly(2) - n}));
  EXPECT_TRUE(contradictory({m - n, n - m - Poly(1)}));
  EXPECT_TRUE(contradictory({m - n - n, n - Poly(4), Poly(7) - m}));
  EXPECT_FALSE(contradictory({m - n - n, n - Poly(4), Poly(8) - m}));
}

TEST_F(PolyTest, FindsRemaindersIndependentOfSizes) {
  X n = symbol(1);
  const Poly size = Poly::atom(n);
  EXPECT_EQ((size + size + size - Poly(1)).remainder(3), 2);
  EXPECT_EQ((size + size - Poly(5)).remainder(2), 1);
  EXPECT_FALSE((size + size - Poly(1)).remainder(3));
  EXPECT_FALSE(size.remainder(2));
  // n - n % 4 is a multiple of 4 and hence of 2. Other divisors are unknown.
  const Poly rest = Poly::of(pool_.binary("%", n, pool_.integer(4), CScalar::I32));
  EXPECT_EQ((size - rest + Poly(1)).remainder(4), 1);
  EXPECT_EQ((size - rest).remainder(2), 0);
  EXPECT_FALSE((size - rest).remainder(8));
  EXPECT_FALSE((size + rest).remainder(4));
}

TEST_F(PolyTest, RecognisesUpperBounds) {
  const Poly m = Poly::atom(symbol(0)), n = Poly::atom(symbol(1));
  EXPECT_FALSE(bounds_from_above(n + m - Poly(3)));
  EXPECT_TRUE(bounds_from_above(Poly(3) - n));
  EXPECT_TRUE(bounds_from_above(n - m));
}

TEST_F(PolyTest, UnsignedResultsWrapAround) {
  Ranges ranges(pool_);
  X n = symbol(0), four = pool_.integer(4, CScalar::U32);
  X less = pool_.binary("-", pool_.cast(n, CScalar::U32), four, CScalar::U32);
  EXPECT_TRUE(ranges.wraps(less));
  EXPECT_EQ(ranges.of(less).low, 0);
  EXPECT_EQ(ranges.of(less).high, 4294967295.0L);
  Ranges large(pool_);
  large.assume({Poly::atom(n) - Poly(4)});
  EXPECT_FALSE(large.wraps(less));
}

TEST_F(PolyTest, DropsValuePreservingConversions) {
  X n = symbol(0);
  EXPECT_EQ(pool_.cast(pool_.cast(n, CScalar::I64), CScalar::I32), n);
  EXPECT_NE(pool_.cast(pool_.cast(n, CScalar::I8), CScalar::I32), n);
}

// A node with many parents is visited once.
TEST_F(PolyTest, VisitsSharedNodesOnce) {
  X x = symbol(0);
  for (int k = 0; k < 60; ++k) x = pool_.binary("+", x, x, CScalar::I64);
  EXPECT_EQ(Poly::of(x).linear_in(symbol(0)), std::optional<int64_t>(int64_t{1} << 60));
  EXPECT_LT(describe(x).size(), 1000u);
}

TEST_F(PolyTest, RefusesConstantsBeyondTheirType) {
  const Poly n = Poly::atom(symbol(0)), far = n + Poly(4294967299);
  EXPECT_FALSE(far.fits_program());
  EXPECT_THROW(far.expression(pool_), TooLarge);
  EXPECT_EQ(Poly::of(far.expression(pool_, CScalar::I64)), far);
  EXPECT_THROW((n + Poly(300)).expression(pool_, CScalar::I8), TooLarge);
}

TEST_F(PolyTest, RefusesSumsBeyond64Bits) {
  const Poly most(INT64_MAX);
  EXPECT_THROW(most + Poly(1), TooLarge);
  EXPECT_THROW(most * Poly(2), TooLarge);
  X x = pool_.binary("*", symbol(0), pool_.integer(INT64_MAX, CScalar::I64), CScalar::I64);
  X sum = pool_.binary("+", x, x, CScalar::I64);
  EXPECT_EQ(Poly::of(sum), Poly::atom(sum));
  // 3 * (n - INT64_MAX / 2) would overflow 64 bits.
  const Poly n = Poly::atom(symbol(0));
  EXPECT_FALSE(proved(Poly(3) * n, {n - Poly(INT64_MAX / 2)}));
}

}  // namespace
}  // namespace stencil::lifter
