// Pictures of fields with what makes them legible: a title, axes, a colour bar.
#pragma once

#include <string>
#include <vector>

#include "compiler/support/scalar.h"
#include "runtime/png.h"

namespace stencil::runtime {

struct Labels {
  std::string title;
  std::vector<std::string>
      notes;                  // in smaller letters below, as many on a line as there is room for
  std::string across, down;   // names of the axes
  bool indices = false;       // axes count points: marks stand at integers only
  Scalar type = Scalar::F64;  // of the values
};

// An image and the pixels of it that show data.
struct Figure {
  Image image;
  int64_t x = 0, y = 0, width = 0, height = 0;
};

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

// A field of rank 1, in intervals of its points.
struct Profile {
  int64_t points = 0;
  int64_t per_interval = 1;              // points; the last interval may have fewer
  std::vector<double> least, greatest;   // finite values of an interval; NaN: none
  std::vector<std::array<bool, 3>> odd;  // whether it has NaN, infinity, minus infinity
  ir::AxisValue axis = {};               // point p lies at axis.at(p)
  Census census = {};
};

// With as few points per interval as at most 720 intervals allow. R030 for no points.
Result<Profile> profile_of(const reference::FieldData& field, int component,
                           const ir::AxisValue& axis);

// The values as a line over the axis; over intervals of several points a band from the least to the
// greatest. `range`: the values at the lower and the upper edge.
Figure draw_profile(const Profile& profile, const Labels& labels,
                    const std::optional<std::pair<double, double>>& range);

}  // namespace stencil::runtime
