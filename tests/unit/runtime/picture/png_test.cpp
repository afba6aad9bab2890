#include "runtime/picture/png.h"

#include <cmath>

#include "runtime/picture/colour_map.h"
#include "tests/unit/runtime/decoded_png.h"
#include "tests/unit/runtime/fields.h"

namespace stencil::runtime {
namespace {

Colour pixel(const Image& image, int64_t x, int64_t y) {
  const uint8_t* rgb = image.rgb.data() + 3 * (y * image.width + x);
  return {rgb[0], rgb[1], rgb[2]};
}

double luminance(const Colour& c) {
  const auto linear = [](uint8_t v) { return std::pow(v / 255.0, 2.2); };
  return 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
}

TEST(ColourMap, GetsLighterFromEndToEnd) {
  double before = -1;
  for (int i = 0; i <= 64; ++i) {
    const double now = luminance(colour_of(i / 64.0));
    EXPECT_GT(now, before) << i;
    before = now;
  }
  EXPECT_LT(luminance(colour_of(0)), 0.05);
  EXPECT_GT(luminance(colour_of(1)), 0.7);
  EXPECT_EQ(colour_of(-3), colour_of(0));
  EXPECT_EQ(colour_of(kInfinity), colour_of(1));
}

TEST(ColourMap, NanAndInfinitiesAreFarFromEveryColour) {
  const std::vector<Colour> odd = {kNanColour, kInfinityColour, kMinusInfinityColour};
  const auto apart = [](const Colour& a, const Colour& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  };
  for (size_t o = 0; o < odd.size(); ++o) {
    for (int i = 0; i <= 64; ++i) {
      EXPECT_GT(apart(colour_of(i / 64.0), odd[o]), 80) << o << ", " << i;
      EXPECT_GT(apart(diverging_colour_of(i / 32.0 - 1), odd[o]), 80) << o << ", " << i;
    }
    EXPECT_GT(apart(odd[o], odd[(o + 1) % 3]), 80);
  }
}

TEST(ColourMap, DivergingMapDarkensEquallyToBothSides) {
  double before = 2;
  for (int i = 0; i <= 32; ++i) {
    const double blue = luminance(diverging_colour_of(-i / 32.0));
    const double red = luminance(diverging_colour_of(i / 32.0));
    EXPECT_LT(std::max(blue, red), before) << i;
    EXPECT_NEAR(blue, red, 0.05) << i;
    before = std::min(blue, red);
  }
  EXPECT_GT(luminance(diverging_colour_of(0)), 0.85);
  EXPECT_GT(diverging_colour_of(-1)[2], 2 * diverging_colour_of(-1)[0]);  // blue
  EXPECT_GT(diverging_colour_of(1)[0], 2 * diverging_colour_of(1)[2]);    // red
}

TEST(ColourMap, ScalesDivergeIfZeroIsWellInside) {
  const ColourScale wave(-1, 2);
  EXPECT_TRUE(wave.diverging());
  EXPECT_EQ(wave.of(0), diverging_colour_of(0));
  EXPECT_EQ(wave.of(-1), diverging_colour_of(-0.5));  // the same scale on both sides
  EXPECT_EQ(ColourScale(-2, 1).of(1), diverging_colour_of(0.5));
  EXPECT_EQ(wave.of(2), diverging_colour_of(1));
  EXPECT_EQ(wave.of(-7), wave.of(-1));
  EXPECT_EQ(wave.at(1.0 / 3), diverging_colour_of(0));
  for (const auto& [low, high] : {std::pair{-0.1, 1.0}, {0.0, 1.0}, {-1.0, 0.2}, {-2.0, -1.0}}) {
    const ColourScale scale(low, high);
    EXPECT_FALSE(scale.diverging()) << low;
    EXPECT_EQ(scale.of(low), colour_of(0));
    EXPECT_EQ(scale.of(high), colour_of(1));
    EXPECT_EQ(scale.of(kNan), kNanColour);
    EXPECT_EQ(scale.of(kInfinity), kInfinityColour);
    EXPECT_EQ(scale.of(-kInfinity), kMinusInfinityColour);
  }
}

TEST(Png, RendersWithItsOwnRange) {
  const Slice slice{2, 3, {-1, 0, 1, kNan, kInfinity, -kInfinity}};
  const Result<Image> image = render(slice, {.range = {}, .scale = 2});
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image.value().width, 6);
  EXPECT_EQ(image.value().height, 4);
  const Colour expected[2][3] = {
      {diverging_colour_of(-1), diverging_colour_of(0), diverging_colour_of(1)},
      {kNanColour, kInfinityColour, kMinusInfinityColour}};
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) {
      EXPECT_EQ(pixel(image.value(), x, y), expected[y / 2][x / 2]) << x << ", " << y;
    }
  }
}

TEST(Png, RendersAGivenRangeAndConstants) {
  const Result<Image> given = render({1, 2, {5, 30}}, {.range = {{0, 20}}, .scale = 1});
  EXPECT_EQ(pixel(given.value(), 0, 0), colour_of(0.25));
  EXPECT_EQ(pixel(given.value(), 1, 0), colour_of(1));
  const Result<Image> constant = render({1, 1, {7}});
  EXPECT_EQ(constant.value().width, 512);
  EXPECT_EQ(pixel(constant.value(), 511, 511), colour_of(0.5));
  const Result<Image> nans = render({1, 1, {kNan}});
  EXPECT_EQ(pixel(nans.value(), 0, 0), kNanColour);
  const Result<Image> extreme = render({1, 2, {-1e308, 1e308}}, {.range = {}, .scale = 1});
  EXPECT_EQ(pixel(extreme.value(), 1, 0), diverging_colour_of(1));
}

TEST(Png, PointsAreDrawnToScale) {
  Slice slice{2, 3, {0, 1, 2, 3, 4, 5}, {0, 0.25}, {0, 1}};  // rows are closer than columns
  const Image wide = render(slice, {.range = {}, .scale = 2}).value();
  EXPECT_EQ(wide.width, 24);
  EXPECT_EQ(wide.height, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 24; ++x) {
      EXPECT_EQ(pixel(wide, x, y), colour_of((y / 2 * 3 + x / 8) / 5.0)) << x << ", " << y;
    }
  }
  std::swap(slice.down, slice.across);
  const Image high = render(slice).value();  // 2 x 4 squares high, 3 wide
  EXPECT_EQ(high.height, 512);
  EXPECT_EQ(high.width, 192);
}

TEST(Png, DrawsNonMultipleSpacingsProportionally) {
  const Image image =
      render({1, 5, {0, 1, 2, 3, 4}, {0, 1}, {0, 1.5}}, {.range = {}, .scale = 1}).value();
  EXPECT_EQ(image.height, 1);
  ASSERT_EQ(image.width, 8);
  const int shown[] = {0, 1, 1, 2, 3, 3, 4, 4};
  for (int x = 0; x < 8; ++x) EXPECT_EQ(pixel(image, x, 0), colour_of(shown[x] / 4.0)) << x;
}

TEST(Png, ExtremeSpacingsAreLimited) {
  const std::vector<double> values(100 * 100, 1.0);
  const Image image = render({100, 100, values, {0, 1e-9}, {0, 1}}).value();
  EXPECT_EQ(image.width, 4096);
  EXPECT_EQ(image.height, 100);
  const std::vector<double> row(5000, 1.0);
  const Image longer = render({1, 5000, row, {0, 1e-9}, {0, 1}}).value();
  EXPECT_EQ(longer.width, 5000);
}

TEST(Png, RefusesImagesThatAreTooLargeOrEmpty) {
  EXPECT_EQ(render({1, 1, {0}}, {.range = {}, .scale = 1 << 20}).failure().code, "R030");
  EXPECT_EQ(render({0, 5, {}}).failure().code, "R030");
}

TEST(Png, SlicesTheMiddleOrTheRequestedPlane) {
  reference::FieldData cube = make_field({{1, 3}, {0, 1}, {0, 1}}, {Scalar::F64});
  for (int64_t i = 0; i < cube.points; ++i) cube.set_real(0, 0, i, static_cast<double>(i));
  EXPECT_EQ(slice_of(cube, 0).value().values, (std::vector<double>{4, 5, 6, 7}));
  EXPECT_EQ(slice_of(cube, 0, {3}).value().values, (std::vector<double>{8, 9, 10, 11}));
  EXPECT_EQ(slice_of(cube, 0, {0}).failure().message,
            "no image can be made: coordinate 0 of dimension 0 is outside 1..3");
  EXPECT_FALSE(slice_of(cube, 0, {1, 1}).ok());
  const Slice line = slice_of(make_field({{0, 4}}, {Scalar::I32}), 0).value();
  EXPECT_EQ(line.rows, 1);
  EXPECT_EQ(line.columns, 5);
  const Slice placed = slice_of(cube, 0, {}, {{0, 1}, {10, 0.5}, {-1, 2}}).value();
  EXPECT_EQ(placed.down, (ir::AxisValue{10, 0.5}));
  EXPECT_EQ(placed.across, (ir::AxisValue{-1, 2}));
  const auto shifted = make_field({{4, 6}, {2, 3}}, {Scalar::I32});
  EXPECT_EQ(slice_of(shifted, 0, {}, {{1, 0.5}, {0, 3}}).value().down, (ir::AxisValue{3, 0.5}));
}

TEST(Png, FilesDecodeToTheImage) {
  const Image image = render({2, 3, {1, 2, 3, 4, 5, kNan}}, {.range = {}, .scale = 3}).value();
  EXPECT_EQ(decoded_png(encode_png(image).value(), 9, 6), image.rgb);
}

// Files with up to 256 colours use a palette.
TEST(Png, FewColoursUseAPalette) {
  for (const int colours : {1, 2, 256, 257}) {
    Image image{32, 16, {}};
    for (int i = 0; i < 32 * 16; ++i) {
      const int c = i % colours;
      for (const int value : {c % 256, 3 * c % 256, c / 256}) {
        image.rgb.push_back(static_cast<uint8_t>(value));
      }
    }
    const std::string bytes = encode_png(image).value();
    EXPECT_EQ(bytes.find("PLTE") != std::string::npos, colours <= 256);
    EXPECT_EQ(decoded_png(bytes, 32, 16), image.rgb) << colours;
  }
}

// Rows for which each PNG filter is the best: noise, gradients along x and y, and a diagonal one.
TEST(Png, EveryFilterIsUndone) {
  Image image{64, 32, {}};
  uint32_t noise = 1;
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) {
      for (int c = 0; c < 3; ++c) {
        noise = noise * 1664525 + 1013904223;
        const uint8_t values[] = {static_cast<uint8_t>(noise >> 24),
                                  static_cast<uint8_t>(9 * x + 5 * c),
                                  static_cast<uint8_t>(x * x + 40 * c),
                                  static_cast<uint8_t>(5 * x + 7 * y + (noise >> 31))};
        image.rgb.push_back(values[y / 8]);
      }
    }
  }
  const std::string bytes = encode_png(image).value();
  EXPECT_EQ(decoded_png(bytes, 64, 32), image.rgb);
  EXPECT_LT(bytes.size(), image.rgb.size() / 2);
}

}  // namespace
}  // namespace stencil::runtime
