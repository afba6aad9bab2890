// A field of one dimension as a figure.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/ir/axes.h"
#include "compiler/reference/state.h"
#include "runtime/picture/figure.h"
#include "runtime/picture/slice.h"

namespace stencil::runtime {

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
