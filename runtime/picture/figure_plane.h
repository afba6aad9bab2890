// A plane as a figure.
#pragma once

#include <optional>
#include <utility>

#include "runtime/picture/figure.h"
#include "runtime/picture/slice.h"

namespace stencil::runtime {

// How a plane becomes pixels: the means of so many points, enlarged to so many pixels.
struct Area {
  int64_t points_down = 1, points_across = 1;
  int64_t width = 0, height = 0;
  bool to_scale = true;
};

// At most 640 pixels on the longer side if points are enlarged, and at most 1200 otherwise. The
// sides are in the proportion of the distances, unless one would be less than an eighth of the
// other. Points are squares of whole pixels where the spacings are equal.
Area area_of(int64_t rows, int64_t columns, double down_spacing, double across_spacing);

// The plane in an area for it, with a colour bar. `range`: values of the first and the last colour;
// without, the least and the greatest finite value of the census, false and true for Bool.
Figure draw_plane(const Slice& slice, const Area& area, const Labels& labels,
                  const std::optional<std::pair<double, double>>& range);

}  // namespace stencil::runtime
