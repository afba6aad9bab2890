#include "runtime/picture/figure_plane.h"
#include "runtime/picture/figure_profile.h"
#include "runtime/picture/png.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "runtime/picture/figure_frame.h"
#include "runtime/picture/font.h"
#include "runtime/picture/picture.h"
#include "tests/unit/runtime/decoded_png.h"
#include "tests/unit/runtime/fields.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

Colour pixel(const Image& image, int64_t x, int64_t y) {
  const uint8_t* rgb = image.rgb.data() + 3 * (y * image.width + x);
  return {rgb[0], rgb[1], rgb[2]};
}

const Labels kLabels{
    .title = "A at step 3", .notes = {"one", "two"}, .across = "x", .down = "y", .indices = false};

reference::FieldData field_of(int64_t rows, int64_t columns, const std::vector<double>& values,
                              Scalar type = Scalar::F64) {
  auto field = make_field({{0, rows - 1}, {0, columns - 1}}, {type});
  for (int64_t i = 0; i < field.points; ++i) {
    field.set_real(0, 0, i, values[static_cast<size_t>(i) % values.size()]);
  }
  return field;
}

struct Drawn {
  Slice slice;
  Area area;
  Figure figure;
};

// As picture_of() does, and also through the file and libpng.
Drawn draw(const reference::FieldData& field, const std::vector<ir::AxisValue>& axes = {},
           const Labels& labels = kLabels,
           const std::optional<std::pair<double, double>>& range = {}) {
  const double down = axes.empty() ? 1 : axes[0].spacing,
               across = axes.empty() ? 1 : axes[1].spacing;
  const Area area = area_of(field.extents[0], field.extents[1], down, across);
  const Slice slice = slice_of(field, 0, {}, axes, area.points_down, area.points_across).value();
  Figure figure = draw_plane(slice, area, labels, range);
  const std::string bytes = encode_png(figure.image).value();
  EXPECT_EQ(decoded_png(bytes, figure.image.width, figure.image.height), figure.image.rgb);
  return {slice, area, std::move(figure)};
}

// The positions of tick marks on the lower or left edge of the data area, in its pixels.
std::vector<int64_t> marks_below(const Figure& figure) {
  std::vector<int64_t> marks;
  for (int64_t x = 0; x < figure.width; ++x) {
    const int64_t y = figure.y + figure.height + kTickLength;
    if (pixel(figure.image, figure.x + x, y) == kInk) marks.push_back(x);
  }
  return marks;
}
std::vector<int64_t> marks_beside(const Figure& figure) {
  std::vector<int64_t> marks;
  for (int64_t y = 0; y < figure.height; ++y) {
    if (pixel(figure.image, figure.x - 1 - kTickLength, figure.y + y) == kInk) marks.push_back(y);
  }
  return marks;
}

TEST(Figure, DataAreaHasTheColoursOfTheData) {
  std::vector<double> values;
  for (int i = 0; i < 64 * 32; ++i) values.push_back(std::sin(0.01 * i) + 3);
  const Drawn drawn = draw(field_of(64, 32, values));
  EXPECT_EQ(drawn.figure.width, 320);  // ten pixels per point
  EXPECT_EQ(drawn.figure.height, 640);
  const ColourScale scale(drawn.slice.census.least, drawn.slice.census.greatest);
  for (int64_t y = 0; y < 640; ++y) {
    for (int64_t x = 0; x < 320; ++x) {
      const double value = values[y / 10 * 32 + x / 10];
      ASSERT_EQ(pixel(drawn.figure.image, drawn.figure.x + x, drawn.figure.y + y), scale.of(value))
          << x << ", " << y;
    }
  }
  const Image& image = drawn.figure.image;
  EXPECT_EQ(pixel(image, drawn.figure.x - 1, drawn.figure.y + 5), kInk);  // the frame
  EXPECT_EQ(pixel(image, 0, 0), kPaper);
}

TEST(Figure, TicksAreAtTheMiddleOfTheirPoints) {
  Labels labels = kLabels;
  labels.indices = true;
  const Drawn drawn = draw(field_of(64, 64, {0, 1}), {}, labels);
  const std::vector<int64_t> tens = {5, 105, 205, 305, 405, 505, 605};  // 0, 10, ... at 10 pixels
  EXPECT_EQ(marks_below(drawn.figure), tens);
  EXPECT_EQ(marks_beside(drawn.figure), tens);
  // 20 points in x from -1.5 in steps of 0.25, up to 3.25; 32 pixels per point.
  const Drawn placed = draw(field_of(10, 20, {0, 1}), {{10, 0.25}, {-1.5, 0.25}});
  std::vector<int64_t> halves;
  for (double x = -1.5; x <= 3.25; x += 0.5) {
    halves.push_back(static_cast<int64_t>((x + 1.5) / 0.25 * 32) + 16);
  }
  EXPECT_EQ(marks_below(placed.figure), halves);
  const std::vector<int64_t> below_ten = {16, 16 + 64, 16 + 128, 16 + 192, 16 + 256};
  EXPECT_EQ(marks_beside(placed.figure), below_ten);  // 10, 10.5, ...
}

// The rows of the colour bar's tick marks, in pixels of the data area.
std::vector<int64_t> marks_of_bar(const Figure& figure) {
  std::vector<int64_t> marks;
  for (int64_t y = 0; y < figure.height; ++y) {
    const int64_t x = figure.x + figure.width + 22 + 18 + 2;
    if (pixel(figure.image, x, figure.y + y) == kInk) marks.push_back(y);
  }
  return marks;
}

TEST(Figure, ColourBarHasTheColoursAndTicksOfItsValues) {
  const Drawn drawn = draw(field_of(64, 64, {0, 9.5}));
  const Figure& figure = drawn.figure;
  const int64_t bar = figure.x + figure.width + 22;
  const ColourScale scale(0, 9.5);
  for (const int64_t y : {0, 100, 639}) {
    EXPECT_EQ(pixel(figure.image, bar + 9, figure.y + y), scale.at(1 - (y + 0.5) / 640)) << y;
  }
  std::vector<int64_t> expected;
  for (int value = 9; value >= 0; --value) {
    expected.push_back(std::llround((1 - value / 9.5) * 639));
  }
  EXPECT_EQ(marks_of_bar(figure), expected);
}

TEST(Figure, FewIntegersGetOneBoxEachInTheColourBar) {
  Labels labels = kLabels;
  labels.type = Scalar::I32;
  const Drawn drawn = draw(field_of(64, 64, {2, 3, 4, 5}, Scalar::I32), {}, labels);
  const Figure& figure = drawn.figure;
  for (int64_t y = 0; y < 640; ++y) {
    const double value = 5 - static_cast<double>(y / 160);
    ASSERT_EQ(pixel(figure.image, figure.x + figure.width + 30, figure.y + y),
              ColourScale(2, 5).of(value))
        << y;
  }
  EXPECT_EQ(marks_of_bar(figure), (std::vector<int64_t>{79, 239, 399, 559}));  // their middles
}

TEST(Figure, BoolsUseBothColours) {
  Labels labels = kLabels;
  labels.type = Scalar::Bool;
  const Drawn drawn = draw(field_of(4, 4, {1}, Scalar::Bool), {}, labels);
  EXPECT_EQ(pixel(drawn.figure.image, drawn.figure.x, drawn.figure.y), colour_of(1));
  EXPECT_EQ(pixel(drawn.figure.image, drawn.figure.x + 640 + 30, drawn.figure.y + 639),
            colour_of(0));
}

TEST(Figure, NanAndInfinitiesAreInTheLegend) {
  const auto legend = [](const std::vector<double>& values) {
    const Figure figure = draw(field_of(8, 8, values)).figure;
    std::vector<Colour> colours;
    const int64_t y = figure.image.height - kEdge - 4;
    for (int64_t x = 0; x < figure.image.width; ++x) {
      const Colour at = pixel(figure.image, x, y);
      for (const Colour& odd : {kNanColour, kInfinityColour, kMinusInfinityColour}) {
        if (at == odd && (colours.empty() || colours.back() != odd)) colours.push_back(odd);
      }
    }
    return colours;
  };
  EXPECT_EQ(legend({1, 2, 3}), std::vector<Colour>{});
  EXPECT_EQ(legend({1, kNan}), std::vector<Colour>{kNanColour});
  EXPECT_EQ(legend({1, -kInfinity, kInfinity, kNan}),
            (std::vector<Colour>{kNanColour, kInfinityColour, kMinusInfinityColour}));
}

TEST(Figure, DrawsPlanesOfUnusualValues) {
  const std::vector<std::vector<double>> all_values = {{kNan},
                                                       {kInfinity},
                                                       {-kInfinity, kInfinity},
                                                       {0.0, -0.0},
                                                       {7},
                                                       {-kLargest, kLargest},
                                                       {0, 5e-324},
                                                       {1, std::nextafter(1.0, 2.0)},
                                                       {1e15, 1e15 + 1}};
  for (const auto& values : all_values) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 7}, {7, 1}, {3, 1000}, {1300, 2}}) {
      for (const double spacing : {1.0, 1e-9, 1e12}) {
        const Drawn drawn = draw(field_of(rows, columns, values), {{0, spacing}, {-5, 1}});
        const Colour first = pixel(drawn.figure.image, drawn.figure.x, drawn.figure.y);
        const double low = drawn.slice.census.least, high = drawn.slice.census.greatest;
        EXPECT_EQ(first, ColourScale(low, high).of(drawn.slice.values[0]));
        EXPECT_LE(drawn.figure.width, 1200);
        EXPECT_LE(drawn.figure.height, 1200);
        EXPECT_GE(drawn.figure.width, 40);
        EXPECT_GE(drawn.figure.height, 40);
      }
    }
  }
}

TEST(Figure, AreasAreDrawnToScale) {
  const auto shape = [](const Area& area) {
    return fmt::format("{}x{} of {}x{}{}", area.width, area.height, area.points_across,
                       area.points_down, area.to_scale ? "" : ", not to scale");
  };
  EXPECT_EQ(shape(area_of(64, 64, 1, 1)), "640x640 of 1x1");
  EXPECT_EQ(shape(area_of(1, 1, 3, 3)), "640x640 of 1x1");
  EXPECT_EQ(shape(area_of(700, 300, 1, 1)), "300x700 of 1x1");
  EXPECT_EQ(shape(area_of(1200, 1200, 1, 1)), "1200x1200 of 1x1");
  EXPECT_EQ(shape(area_of(1201, 1201, 1, 1)), "601x601 of 2x2");
  EXPECT_EQ(shape(area_of(8192, 4096, 1, 1)), "586x1171 of 7x7");
  EXPECT_EQ(shape(area_of(40, 100, 0.001, 0.00025)), "400x640 of 1x1");
  EXPECT_EQ(shape(area_of(1000, 4000, 4, 1)), "1000x1000 of 4x1");
  EXPECT_EQ(shape(area_of(1, 200, 1, 1)), "600x75 of 1x1, not to scale");
  EXPECT_EQ(shape(area_of(80, 80, 100, 1)), "80x640 of 1x1, not to scale");
  EXPECT_EQ(shape(area_of(int64_t{1} << 31, 1, 1, 1)), "150x1200 of 1x1789570, not to scale");
}

TEST(Figure, LargePlanesShowMeans) {
  auto field = make_field({{0, 2400}, {0, 2999}}, {Scalar::F64});
  for (int64_t i = 0; i < field.points; ++i) field.set_real(0, 0, i, static_cast<double>(i % 3));
  field.set_real(0, 0, 3000 * 2400 + 2999, kNan);
  const Drawn drawn = draw(field);
  EXPECT_EQ(drawn.area.points_down, 3);
  EXPECT_EQ(drawn.slice.rows, 801);  // the last row covers one point
  EXPECT_EQ(drawn.slice.columns, 1000);
  EXPECT_NEAR(drawn.slice.values[0], 1, 1e-15);
  EXPECT_NEAR(drawn.slice.values[800 * 1000], 1, 1e-15);
  EXPECT_TRUE(std::isnan(drawn.slice.values.back()));
  EXPECT_EQ(drawn.slice.census.least, 0);  // of the points, not of the means
  EXPECT_EQ(drawn.slice.census.greatest, 2);
  EXPECT_EQ(drawn.slice.census.nans, 1);
}

// The vertical extent of the line in a column of the data area, from the top.
std::pair<int64_t, int64_t> line_in(const Figure& figure, int64_t x) {
  std::pair<int64_t, int64_t> found{-1, -1};
  for (int64_t y = 0; y < figure.height; ++y) {
    const Colour at = pixel(figure.image, figure.x + x, figure.y + y);
    if (at[2] < at[0] + 60) continue;  // blue
    if (found.first < 0) found.first = y;
    found.second = y;
  }
  return found;
}

Profile profile_from(const std::vector<double>& values, const ir::AxisValue& axis = {}) {
  auto field = make_field({{0, static_cast<int64_t>(values.size()) - 1}}, {Scalar::F64});
  for (size_t i = 0; i < values.size(); ++i) {
    field.set_real(0, 0, static_cast<int64_t>(i), values[i]);
  }
  return profile_of(field, 0, axis).value();
}

TEST(Figure, ProfilesAreLinesThroughTheirPoints) {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(i);
  const Figure figure = draw_profile(profile_from(values, {0, 0.5}), kLabels, {{0, 100}});
  EXPECT_EQ(figure.width, 720);
  EXPECT_EQ(figure.height, 400);
  for (const int point : {10, 50, 90}) {  // margin 12, 6.95 a point; 3.99 a unit
    const auto [top, bottom] = line_in(figure, 12 + std::llround(6.95 * point));
    EXPECT_NEAR(static_cast<double>(top + bottom) / 2, 399 - 3.99 * point, 1.5) << point;
  }
  std::vector<int64_t> marks;
  for (int k = 0; k <= 5; ++k) marks.push_back(static_cast<int64_t>(12.5 + k * 139));
  const std::vector<int64_t> found = marks_below(figure);  // 0, 5, ..., 50, or every other
  for (const int64_t mark : marks) {
    EXPECT_NE(std::find(found.begin(), found.end(), mark), found.end()) << mark;
  }
}

TEST(Figure, ProfilesOfManyPointsAreBands) {
  std::vector<double> values;
  for (int i = 0; i < 72000; ++i) values.push_back(i % 2 == 0 ? 1 : 3);
  const Profile profile = profile_from(values);
  EXPECT_EQ(profile.per_interval, 100);
  const Figure figure = draw_profile(profile, kLabels, {{0, 4}});
  const auto [top, bottom] = line_in(figure, 360);
  EXPECT_NEAR(static_cast<double>(top), 100, 2);
  EXPECT_NEAR(static_cast<double>(bottom), 299, 2);
}

TEST(Figure, DrawsProfilesOfUnusualValues) {
  for (const std::vector<double>& values : {std::vector<double>{7},
                                            {kNan},
                                            {0.0, -0.0, 0.0},
                                            {kNan, kInfinity, -kInfinity, 1},
                                            {-kLargest, kLargest},
                                            {kLargest, kLargest},
                                            {0, 5e-324}}) {
    const Figure figure = draw_profile(profile_from(values, {1e30, 1e-3}), kLabels, {});
    const bool any =
        std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
    bool line = false;
    for (int64_t x = 0; x < figure.width; ++x) line |= line_in(figure, x).first >= 0;
    EXPECT_TRUE(line || !any) << values[0];
  }
  const Figure cut = draw_profile(profile_from({-kLargest, 0, kLargest}), kLabels, {{-1, 1}});
  EXPECT_EQ(pixel(cut.image, cut.x + 360, cut.y - 3), kPaper);  // nothing outside the frame
}

TEST(Text, HasTheSameBaselineForAllLetters) {
  const TextPixels one = text_pixels("x", 13), two = text_pixels("Äg×10⁻³", 13);
  EXPECT_EQ(one.height, two.height);
  EXPECT_EQ(one.baseline, two.baseline);
  EXPECT_EQ(static_cast<int>(two.cover.size()), two.width * two.height);
  // The font has every kind of character that font/README.md lists; the last one is not in it.
  const std::vector<uint8_t> absent = text_pixels("\u4e00", 13).cover;
  for (const char* present : {"a", "\u00ff", "\u0151", "\u03a9", "\u0416", "\u2019", "\u2079",
                              "\u2082", "\u2192", "\u2212", "\u221e", "\ufffd"}) {
    EXPECT_NE(text_pixels(present, 13).cover, absent) << present;
  }
  EXPECT_GT(text_width("WW", 13), text_width("ii", 13));
  EXPECT_EQ(text_width("", 13), 0);
  EXPECT_EQ(text_width("\xc3", 13), text_width("\xef\xbf\xbd", 13));  // incomplete: U+FFFD
  const auto black = [](const std::string& text) {
    const TextPixels pixels = text_pixels(text, 20);
    int sum = 0;
    for (const uint8_t cover : pixels.cover) sum += cover;
    return sum;
  };
  EXPECT_EQ(black(" "), 0);
  EXPECT_GT(black("8"), black("1"));
}

TEST(Picture, IsAFigureUnlessPlain) {
  const ir::Program program = program_of(
      "grid G = [0..2, 0..3, 0..5] origin [1, 0, 0] spacing 0.5 steps 1;\nfield A : real on G;\n"
      "stencil s : A on G = A[0,0,0];\ninit A[i,j,k] = i + 10 * j + k;\n");
  reference::State state = initial_state(program, bind_params(program).value());
  const Image plain = picture_of(program, state, {0}, {}, {.plain = true}).value();
  EXPECT_EQ(plain.width, 510);  // 85 pixels per point
  EXPECT_EQ(plain.height, 340);
  const Image figure = picture_of(program, state, {0}, {}, {}).value();
  EXPECT_GT(figure.width, 636);  // 106 pixels per point
  EXPECT_GT(figure.height, 424);
  EXPECT_EQ(picture_of(program, state, {0}, {}, {}).value().rgb, figure.rgb);
  state.step = 1;  // shown in the title
  EXPECT_NE(picture_of(program, state, {0}, {}, {}).value().rgb, figure.rgb);
  state.step = 0;
  EXPECT_NE(picture_of(program, state, {0}, {2}, {}).value().rgb, figure.rgb);
  EXPECT_EQ(picture_of(program, state, {0}, {3}, {}).failure().code, "R030");
}

// `flip` shows the first row at the bottom, in the data and at the axis; everything else stays.
TEST(Figures, FlipReversesTheRows) {
  const auto field = field_of(30, 41, {0, 1, 5, 2, 7, 3});
  const std::vector<ir::AxisValue> axes = {{10, 0.5}, {0, 0.5}};
  const Area area = area_of(30, 41, 0.5, 0.5);
  const Slice slice = slice_of(field, 0, {}, axes, 1, 1).value();
  const Figure down = draw_plane(slice, area, kLabels, {});
  const Figure up = draw_plane(slice, area, kLabels, {}, true);
  ASSERT_EQ(up.image.width, down.image.width);
  ASSERT_EQ(up.image.height, down.image.height);
  for (int64_t y = 0; y < area.height; ++y) {
    for (int64_t x = -6; x < area.width; ++x) {  // with the marks to the left of the data
      ASSERT_EQ(pixel(up.image, up.x + x, up.y + y),
                pixel(down.image, down.x + x, down.y + area.height - 1 - y))
          << x << ", " << y;
    }
  }
  for (int64_t y = 0; y < down.y - 8; ++y) {
    for (int64_t x = 0; x < down.image.width; ++x) {
      ASSERT_EQ(pixel(up.image, x, y), pixel(down.image, x, y));
    }
  }
  const Image plain = render(slice).value();
  const Image flipped = render(slice, {.flip = true}).value();
  for (int64_t y = 0; y < plain.height; ++y) {
    ASSERT_EQ(pixel(flipped, 0, y), pixel(plain, 0, plain.height - 1 - y));
  }
}

}  // namespace
}  // namespace stencil::runtime
