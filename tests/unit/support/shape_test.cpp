// Lengths per dimension: defaults, products, text.
#include "compiler/support/shape.h"

#include <gtest/gtest.h>

namespace stencil {
namespace {

TEST(Shape, MissingDimensionsHaveLengthOne) {
  const Shape shape = {32, 8};
  EXPECT_EQ(shape[0], 32);
  EXPECT_EQ(shape[1], 8);
  EXPECT_EQ(shape[2], 1);
  EXPECT_EQ(shape[kMaxRank - 1], 1);
  EXPECT_EQ(shape, (Shape{32, 8, 1, 1}));
  EXPECT_NE(shape, (Shape{32, 8, 1, 2}));
}

TEST(Shape, RankEndsAtTheLastLongerDimension) {
  EXPECT_EQ(Shape().rank(), 1);
  EXPECT_EQ((Shape{1, 1, 4, 1}).rank(), 3);
  EXPECT_EQ((Shape{1, 1, 1, 1, 1, 1, 1, 2}).rank(), 8);
}

TEST(Shape, ProductStartsAtAnyDimension) {
  const Shape shape = {2, 3, 5, 7};
  EXPECT_EQ(shape.product(), 210);
  EXPECT_EQ(shape.product(2), 35);
  EXPECT_EQ(shape.product(kMaxRank), 1);
}

TEST(Shape, ProductsDoNotOverflow) {
  constexpr int kLong = 2147483647;
  EXPECT_EQ((Shape{kLong, kLong, kLong, kLong, kLong, kLong, kLong, kLong}).product(),
            int64_t{1} << 31);
}

TEST(Shape, PrintsTheRequestedNumberOfLengths) {
  EXPECT_EQ(print(Shape{32, 8}, 1), "32");
  EXPECT_EQ(print(Shape{32, 8}, 2), "32x8");
  EXPECT_EQ(print(Shape{32, 8}, 4), "32x8x1x1");
}

}  // namespace
}  // namespace stencil
