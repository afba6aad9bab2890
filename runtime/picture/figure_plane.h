// Figures of planes.
#pragma once

#include <optional>
#include <utility>

#include "runtime/picture/figure.h"
#include "runtime/picture/slice.h"

namespace stencil::runtime {

// The mapping of a plane to pixels: each value is the mean of points_down x points_across points.
struct Area {
  int64_t points_down = 1, points_across = 1;
  int64_t width = 0, height = 0;
  bool to_scale = true;
};

// The longer side has at most 640 pixels if points are enlarged, otherwise at most 1200. The aspect
// ratio follows physical distances, unless one side would be less than an eighth of the other. With
// equal spacings, points are squares of whole pixels.
Area area_of(int64_t rows, int64_t columns, double down_spacing, double across_spacing);

// Draws the plane in its area, with a colour bar. `range`: values of the first and last colour;
// default: the least and greatest finite value of the census, or false and true for Bool. `flip`:
// row 0 at the bottom.
Figure draw_plane(const Slice& slice, const Area& area, const Labels& labels,
                  const std::optional<std::pair<double, double>>& range, bool flip = false);

}  // namespace stencil::runtime
