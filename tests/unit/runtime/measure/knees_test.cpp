#include "runtime/measure/knees.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stencil::measure {
namespace {

TEST(Knees, HalfWayInterpolatesTheMeanTimePerByte) {
  // 1 and 3 ns per byte: 2 ns is half-way, at the geometric mean of 4 and 16.
  const auto half = half_way({{1, 1e9}, {4, 1e9}, {16, 1e9 / 3}, {64, 1e9 / 3}});
  ASSERT_TRUE(half);
  EXPECT_NEAR(*half, 8, 1e-9);
  EXPECT_FALSE(half_way({{1, 5}, {2, 5}}));
  EXPECT_FALSE(half_way({{1, 5}, {2, 6}}));
  EXPECT_FALSE(half_way({{1, 5}}));
}

TEST(Knees, HiddenAllowsTenPercentMoreTime) {
  const auto flops = hidden({{0, 10}, {10, 10}, {20, 10}, {30, 14}, {40, 20}});
  ASSERT_TRUE(flops);
  EXPECT_NEAR(*flops, 22.5, 1e-9);
  EXPECT_NEAR(hidden({{0, 12}, {10, 10}, {20, 20}}).value(), 11, 1e-9)
      << "the first measurement was an outlier";
  EXPECT_FALSE(hidden({{0, 10}, {10, 10.5}}));
}

TEST(Knees, BalanceFollowsTheSlopeOfManyFlops) {
  const auto flops = balance({{0, 10}, {10, 10}, {20, 15}, {40, 24}});
  ASSERT_TRUE(flops);
  EXPECT_NEAR(*flops, 10 / 0.6, 1e-9);
  EXPECT_FALSE(balance({{0, 10}, {10, 14}})) << "memory may still hide arithmetic";
}

}  // namespace
}  // namespace stencil::measure
