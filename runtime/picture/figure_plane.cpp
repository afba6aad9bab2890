// A plane as an image with axes and colour bar. A point is a box of pixels whose coordinate is its
// centre, so marks are at the centres of boxes.
#include "runtime/picture/figure_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/picture/figure_bar.h"

namespace stencil::runtime {
namespace {

constexpr int64_t kEnlarged = 640;    // maximum of the longer side when enlarging
constexpr int64_t kUnreduced = 1200;  // maximum for one pixel per point
constexpr int64_t kFlattest = 8;      // maximum aspect ratio

// Computes points per value and pixels for one direction, with `unit` pixels per unit of length.
void measure(int64_t points, double spacing, double unit, int64_t& per_value, int64_t& pixels) {
  per_value = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(1 / (unit * spacing) - 1e-9)));
  const int64_t values = (points + per_value - 1) / per_value;
  pixels = std::llround(static_cast<double>(points) * spacing * unit);
  // If one value covers a whole number of pixels, every value gets a box of this size, even if the
  // last one stands for fewer points.
  const double box = static_cast<double>(per_value) * spacing * unit;
  if (std::abs(box - std::round(box)) < 1e-6) pixels = values * std::llround(box);
  pixels = std::max(pixels, values);
}

// Marks for an axis of `pixels` pixels such that labels do not overlap.
Ticks marks_of(const ir::AxisValue& axis, int64_t points, int64_t pixels, bool whole, bool across) {
  const double low = axis.at(0), high = axis.at(points - 1);
  for (int most = static_cast<int>(std::clamp<int64_t>(pixels / 50, 2, 12));; --most) {
    Ticks ticks = ticks_between(low, high, std::max(most, 1), whole);
    const auto count = static_cast<int64_t>(ticks.marks.size());
    if (!across || count < 2 || most <= 1) return ticks;
    if (count * (widest(ticks) + 14) <= pixels) return ticks;
  }
}

}  // namespace

Area area_of(int64_t rows, int64_t columns, double down_spacing, double across_spacing) {
  const double finest = std::min(down_spacing, across_spacing);
  double higher = down_spacing / finest, wider = across_spacing / finest;
  const double height = static_cast<double>(rows) * higher;
  const double width = static_cast<double>(columns) * wider;
  Area area;
  if (width > kFlattest * height) {
    higher *= width / (kFlattest * height);
    area.to_scale = false;
  } else if (height > kFlattest * width) {
    wider *= height / (kFlattest * width);
    area.to_scale = false;
  }
  const double least = std::min(higher, wider);
  higher /= least;
  wider /= least;
  const double longer =
      std::max(static_cast<double>(rows) * higher, static_cast<double>(columns) * wider);
  double unit = std::floor(static_cast<double>(kEnlarged) / longer);
  if (unit < 1) unit = longer <= kUnreduced ? 1 : 1 / std::ceil(longer / kUnreduced);
  measure(rows, higher, unit, area.points_down, area.height);
  measure(columns, wider, unit, area.points_across, area.width);
  return area;
}

Figure draw_plane(const Slice& slice, const Area& area, const Labels& labels,
                  const std::optional<std::pair<double, double>>& range, bool flip) {
  const Census& census = slice.census;
  const Bar bar = bar_of(census, range, labels.type, area.height);
  const bool coloured = census.finite > 0 || range;
  const Beside beside = coloured ? beside_of(bar) : Beside{};
  const auto marks = [&](const ir::AxisValue& axis, int64_t points, int64_t pixels, bool across) {
    return marks_of(axis, points, pixels, labels.indices, across);
  };
  const Frame frame(labels, census, marks(slice.across, slice.field_columns, area.width, true),
                    marks(slice.down, slice.field_rows, area.height, false), area.width,
                    area.height, beside);
  // The centre pixel of the box that shows the point.
  const auto place = [](const ir::AxisValue& axis, int64_t points, int64_t pixels, bool backwards) {
    return [=](double value) {
      const double point = (value - axis.at(0)) / axis.spacing + 0.5;
      const double at = point / static_cast<double>(points) * static_cast<double>(pixels);
      const auto pixel = std::clamp<int64_t>(static_cast<int64_t>(at), 0, pixels - 1);
      return backwards ? pixels - 1 - pixel : pixel;
    };
  };
  Canvas canvas =
      frame.draw(place(slice.across, slice.columns * slice.points_across, area.width, false),
                 place(slice.down, slice.rows * slice.points_down, area.height, flip), false);
  Image data = paint(slice, bar.scale, area.width, area.height);
  if (flip) mirror(data);
  canvas.copy(frame.x(), frame.y(), data);
  if (coloured) draw_bar(canvas, bar, frame, area.width, area.height);
  return {canvas.take(), frame.x(), frame.y(), area.width, area.height};
}

}  // namespace stencil::runtime
