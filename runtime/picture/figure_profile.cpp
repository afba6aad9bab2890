// A one-dimensional field as a line plot. If an interval has several points, the band from their
// least to their greatest value covers the same area as a line through all of them.
#include "runtime/picture/figure_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/support/try.h"
#include "runtime/picture/figure_frame.h"

namespace stencil::runtime {
namespace {

constexpr int64_t kWidth = 720, kHeight = 400;
constexpr int64_t kMargin = 12;      // pixels on either side of the points
constexpr int64_t kMostMarked = 48;  // maximum number of points with a dot
constexpr double kLineWidth = 1.8;
constexpr Colour kLineColour = {31, 105, 170};
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// The values at the lower and upper edge: slightly beyond the data, but within the range of
// doubles.
std::pair<double, double> edges_of(const Census& census, Scalar type) {
  if (type == Scalar::Bool) return {-0.1, 1.1};
  double low = census.least + 0.0, high = census.greatest + 0.0;
  if (low == high) {
    const double room = low == 0 ? 1 : std::abs(low) / 10;
    return {std::max(low - room, std::numeric_limits<double>::lowest()),
            std::min(high + room, std::numeric_limits<double>::max())};
  }
  const double room = (high / 2 - low / 2) / 10;
  const double lower = low - room, upper = high + room;
  if (std::isfinite(lower)) low = lower;
  if (std::isfinite(upper)) high = upper;
  return {low, high};
}

using Path = std::vector<std::array<double, 2>>;

}  // namespace

Result<Profile> profile_of(const reference::FieldData& field, int component,
                           const ir::AxisValue& axis) {
  TRY(plane_start(field, {}));
  Profile profile;
  profile.points = field.points;
  profile.per_interval = (field.points + kWidth - 1) / kWidth;
  profile.axis = {axis.at(field.box[0][0]), axis.spacing};
  for (int64_t first = 0; first < field.points; first += profile.per_interval) {
    Census interval;
    const int64_t last = std::min(first + profile.per_interval, field.points);
    for (int64_t p = first; p < last; ++p) {
      const double value = field.real(0, component, p);
      interval.add(value);
      profile.census.add(value);
    }
    profile.least.push_back(interval.finite > 0 ? interval.least : kNoValue);
    profile.greatest.push_back(interval.finite > 0 ? interval.greatest : kNoValue);
    profile.odd.push_back({interval.nans > 0, interval.infinite > 0, interval.minus_infinite > 0});
  }
  return profile;
}

Figure draw_profile(const Profile& profile, const Labels& labels,
                    const std::optional<std::pair<double, double>>& range) {
  const Census& census = profile.census;
  const auto [low, high] = range ? *range : edges_of(census, labels.type);
  const double begin = profile.axis.at(0), end = profile.axis.at(profile.points - 1);
  // Maps values to pixel coordinates; .5 is the centre of a pixel.
  const auto across = [&](double value) {
    const double part = begin == end ? 0.5 : fraction_between(begin, end, value);
    return kMargin + 0.5 + part * static_cast<double>(kWidth - 1 - 2 * kMargin);
  };
  const auto down = [&, low = low, high = high](double value) {
    const double part = fraction_between(low, high, value);
    return 0.5 + (1 - std::clamp(part, -1.0, 2.0)) * static_cast<double>(kHeight - 1);
  };
  Ticks marks = ticks_between(begin, end, 10, labels.indices);
  for (int most = 9;
       most > 1 && static_cast<int64_t>(marks.marks.size()) * (widest(marks) + 14) > kWidth;
       --most) {
    marks = ticks_between(begin, end, most, labels.indices);
  }
  Ticks levels = ticks_between(low, high, 8, !is_float(labels.type));
  if (labels.type == Scalar::Bool && !range) levels.marks = {{0, "false"}, {1, "true"}};
  if (census.finite == 0 && !range) levels = {};
  const Frame frame(labels, census, marks, levels, kWidth, kHeight, {});
  const auto pixel = [](auto at) {
    return [at](double value) { return static_cast<int64_t>(std::floor(at(value))); };
  };
  Canvas canvas = frame.draw(pixel(across), pixel(down), true);
  Canvas data(kWidth, kHeight, kPaper);  // separate canvas, to clip data outside a given range
  for (const Tick& mark : marks.marks) data.fill(pixel(across)(mark.value), 0, 1, kHeight, kGrid);
  for (const Tick& mark : levels.marks) data.fill(0, pixel(down)(mark.value), kWidth, 1, kGrid);

  const auto intervals = static_cast<int64_t>(profile.least.size());
  Path path;
  const auto flush = [&] {
    if (!path.empty()) data.path(path, path.size() == 1 ? 3 : kLineWidth, kLineColour);
    path.clear();
  };
  for (int64_t i = 0; i < intervals; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t first = i * profile.per_interval;
    const int64_t last = std::min(first + profile.per_interval, profile.points) - 1;
    const double x = (across(profile.axis.at(first)) + across(profile.axis.at(last))) / 2;
    const Colour odd_colours[] = {kNanColour, kInfinityColour, kMinusInfinityColour};
    for (size_t k = 0; k < 3; ++k) {
      if (!profile.odd[at][k]) continue;  // NaN and -inf at the lower edge, +inf at the upper
      data.fill(static_cast<int64_t>(x) - 1, k == 1 ? 0 : kHeight - 8, 3, 8, odd_colours[k]);
    }
    if (std::isnan(profile.least[at])) {
      flush();
      continue;
    }
    path.push_back({x, down(profile.least[at])});
    if (profile.greatest[at] > profile.least[at]) path.push_back({x, down(profile.greatest[at])});
    if (profile.points <= kMostMarked) data.path({path.back()}, 6, kLineColour);
    if (profile.odd[at] != std::array<bool, 3>{}) flush();
  }
  flush();
  canvas.copy(frame.x(), frame.y(), data.take());
  return {canvas.take(), frame.x(), frame.y(), kWidth, kHeight};
}

}  // namespace stencil::runtime
