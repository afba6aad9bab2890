// Figures of one-dimensional fields.
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

// A field of rank 1, divided into intervals of points.
struct Profile {
  int64_t points = 0;
  int64_t per_interval = 1;              // points; the last interval may have fewer
  std::vector<double> least, greatest;   // finite values per interval; NaN: none
  std::vector<std::array<bool, 3>> odd;  // has NaN, infinity, minus infinity
  ir::AxisValue axis = {};               // point p lies at axis.at(p)
  Census census = {};
};

// Uses at most 720 intervals, with as few points each as possible. R030 for no points.
Result<Profile> profile_of(const reference::FieldData& field, int component,
                           const ir::AxisValue& axis);

// Draws the values as a line over the axis; with several points per interval, a band from the least
// to the greatest. `range`: values at the lower and upper edge.
Figure draw_profile(const Profile& profile, const Labels& labels,
                    const std::optional<std::pair<double, double>>& range);

}  // namespace stencil::runtime
