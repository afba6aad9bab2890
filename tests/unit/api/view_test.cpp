#include "stencil/view.h"

#include <gtest/gtest.h>

#include <array>
#include <span>

namespace stencil {
namespace {

TEST(View, OfADenseArrayHasRowMajorStrides) {
  std::vector<double> values(24);
  const View view(values, {2, 3, 4});
  EXPECT_EQ(view.strides(), (Extents{12, 4, 1}));
  EXPECT_EQ(view.capacity(), 24);
  view(1, 2, 3) = 5;
  EXPECT_EQ(values[23], 5);
}

TEST(View, AcceptsContiguousContainers) {
  float plain[3][4] = {};
  const std::array<int, 5> five = {};
  std::vector<int64_t> longs(6);
  EXPECT_EQ(View(plain).extents(), (Extents{3, 4}));
  EXPECT_EQ(&View(plain)(2, 1), &plain[2][1]);
  EXPECT_EQ(View(five).extents(), Extents{5});
  EXPECT_EQ(View(std::span(longs)).extents(), Extents{6});
  EXPECT_EQ(View(longs.data(), {2, 2}, {3, 1}).capacity(), -1);
  EXPECT_FALSE(AnyView(View(five)).writable());
  EXPECT_TRUE(AnyView(View(longs)).writable());
}

struct Mdspan {
  float* memory;
  float* data_handle() const { return memory; }
  size_t rank() const { return 2; }
  int extent(size_t d) const { return d == 0 ? 3 : 2; }
  int stride(size_t d) const { return d == 0 ? 1 : 3; }  // first index contiguous
};

TEST(View, TakesOverTheStridesOfAnMdspan) {
  float values[6] = {};
  const View view(Mdspan{values});
  EXPECT_EQ(view.extents(), (Extents{3, 2}));
  EXPECT_EQ(&view(2, 1), &values[5]);
}

TEST(View, KnowsItsElementType) {
  EXPECT_EQ(element_type<const float>(), ElementType::Float);
  EXPECT_EQ(element_type<long long>(), ElementType::Long);
  EXPECT_EQ(element_type<long>(), ElementType::Long);
  EXPECT_EQ(element_type<int>(), ElementType::Int);
  EXPECT_EQ(element_type<int8_t>(), ElementType::Byte);
  EXPECT_EQ(element_type<unsigned char>(), ElementType::Ubyte);
  EXPECT_EQ(element_type<short>(), ElementType::Short);
  EXPECT_EQ(element_type<const uint16_t>(), ElementType::Ushort);
  EXPECT_EQ(element_type<bool>(), ElementType::Bool);
  EXPECT_EQ(element_type<HalfBits>(), ElementType::Half);
  EXPECT_STREQ(name_of(ElementType::Bfloat), "bfloat");
  EXPECT_EQ(size_of(ElementType::Bfloat), 2);
}

}  // namespace
}  // namespace stencil
