// Three faces of a field in isometric projection (view=cube).
#include "runtime/picture/figure_cube.h"

#include <gtest/gtest.h>

#include "runtime/picture/colour_map.h"
#include "runtime/picture/picture.h"
#include "tests/unit/runtime/fields.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

// A field whose faces have the values 1 (first in z), 2 (last in z), 3 (last in y) and 4 (last in
// x); the rest is 0.
reference::FieldData coloured_box() {
  auto field = make_field({{0, 3}, {0, 4}, {0, 5}}, {Scalar::F64});
  for (int64_t z = 0, i = 0; z < 4; ++z) {
    for (int64_t y = 0; y < 5; ++y) {
      for (int64_t x = 0; x < 6; ++x, ++i) {
        const double inside = x == 5 ? 4 : y == 4 ? 3 : 0;
        field.set_real(0, 0, i, z == 0 ? 1 : z == 3 ? 2 : inside);
      }
    }
  }
  return field;
}

Cube cube_of(bool flip = false) {
  return {{4, 5, 6}, {1, 1, 1}, {"z", "y", "x"}, flip};
}

Colour pixel_at(const Image& image, double across, double down) {
  const auto x = static_cast<int64_t>(across * static_cast<double>(image.width));
  const auto y = static_cast<int64_t>(down * static_cast<double>(image.height));
  const uint8_t* rgb = image.rgb.data() + 3 * (y * image.width + x);
  return {rgb[0], rgb[1], rgb[2]};
}

TEST(CubeFaces, AreTheThreeVisibleOnes) {
  const auto field = coloured_box();
  const Slice faces = faces_of(field, 0, cube_of()).value();
  ASSERT_EQ(faces.values.size(), 5u * 6 + 4 * 6 + 4 * 5);
  EXPECT_EQ(faces.values[0], 1);                  // top
  EXPECT_EQ(faces.values[5 * 6], 1);              // left: z = 0
  EXPECT_EQ(faces.values[5 * 6 + 6], 3);          // left: z = 1
  EXPECT_EQ(faces.values[5 * 6 + 6 + 5], 4);      // left: z = 1, x = 5
  EXPECT_EQ(faces.values[5 * 6 + 4 * 6 + 5], 4);  // right: z = 1
  EXPECT_EQ(faces.values.back(), 2);              // right: z = 3, y = 4
  EXPECT_EQ(faces.census.finite, 74);
  EXPECT_EQ(faces_of(field, 0, cube_of(true)).value().values[0], 2);
  const auto flat = make_field({{0, 3}, {0, 4}}, {Scalar::F64});
  EXPECT_EQ(faces_of(flat, 0, cube_of()).failure().code, "R030");
}

TEST(CubeFigure, ShowsEachFaceInItsPlace) {
  const auto field = coloured_box();
  for (const bool flip : {false, true}) {
    const Cube cube = cube_of(flip);
    const Slice faces = faces_of(field, 0, cube).value();
    const Image image = draw_cube(faces, cube, {}, std::pair{0.0, 4.0}, true).image;
    const ColourScale scale(0, 4);
    EXPECT_EQ(pixel_at(image, 0.01, 0.02), (Colour{255, 255, 255}));
    EXPECT_EQ(pixel_at(image, 0.99, 0.98), (Colour{255, 255, 255}));
    EXPECT_EQ(pixel_at(image, 0.5, 0.3), scale.of(flip ? 2 : 1));    // top
    EXPECT_EQ(pixel_at(image, 0.3, 0.7), scale.of(3));               // left, in the middle
    EXPECT_EQ(pixel_at(image, 0.75, 0.68), scale.of(4));             // right
    EXPECT_EQ(pixel_at(image, 0.3, 0.775), scale.of(flip ? 1 : 2));  // left, at the lower edge
  }
}

TEST(CubeFigure, HasATitleAndAColourBar) {
  const ir::Program program = program_of(
      "grid G = [0..2, 0..3, 0..5] steps 1;\nfield A : real on G;\n"
      "stencil s : A on G = A[0,0,0];\ninit A[i,j,k] = i + 10 * j + k;\n");
  reference::State state = initial_state(program, bind_params(program).value());
  const Image plain = picture_of(program, state, {0}, {}, {.plain = true, .cube = true}).value();
  const Image figure = picture_of(program, state, {0}, {}, {.cube = true}).value();
  EXPECT_GT(figure.width, plain.width);
  EXPECT_GT(figure.height, plain.height);
  EXPECT_NE(picture_of(program, state, {0}, {}, {.flip = true, .cube = true}).value().rgb,
            figure.rgb);
  state.step = 1;  // shown in the title
  EXPECT_NE(picture_of(program, state, {0}, {}, {.cube = true}).value().rgb, figure.rgb);
  const ir::Program flat = program_of(
      "grid G = [0..2, 0..3] steps 1;\nfield A : real on G;\nstencil s : A on G = A[0,0];\n");
  const reference::State plane = initial_state(flat, bind_params(flat).value());
  EXPECT_EQ(picture_of(flat, plane, {0}, {}, {.cube = true}).failure().code, "R030");
}

}  // namespace
}  // namespace stencil::runtime
