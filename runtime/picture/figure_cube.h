// Figures of three-dimensional fields: three faces of the box in isometric projection.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "runtime/picture/figure.h"
#include "runtime/picture/slice.h"

namespace stencil::runtime {

// The visible faces of a box of points, by dimension z, y, x: the first plane in z on top, the last
// one in y to the left, the last one in x to the right. Flipped, z points upwards, and the top is
// its last plane.
struct Cube {
  std::array<int64_t, 3> points = {};
  std::array<double, 3> spacing = {};
  std::array<std::string, 3> names = {};
  bool flip = false;
};

// R030 unless the field has three dimensions and points.
Status check_cube(const reference::FieldData& field);

// The values of the faces, one after another, as a slice of one row. R030.
Result<Slice> faces_of(const reference::FieldData& field, int component, const Cube& cube);

// Draws the faces with axes and colour bar. `range`: as for draw_plane(). If `plain`, only the
// faces, on white.
Figure draw_cube(const Slice& faces, const Cube& cube, const Labels& labels,
                 const std::optional<std::pair<double, double>>& range, bool plain);

}  // namespace stencil::runtime
