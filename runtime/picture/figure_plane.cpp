// A plane as an image with axes and colour bar. A point is a box of pixels whose coordinate is its
// centre, so marks are at the centres of boxes.
#include "runtime/picture/figure_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/picture/figure_frame.h"
#include "runtime/picture/font.h"

namespace stencil::runtime {
namespace {

constexpr int64_t kEnlarged = 640;    // maximum of the longer side when enlarging
constexpr int64_t kUnreduced = 1200;  // maximum for one pixel per point
constexpr int64_t kFlattest = 8;      // maximum aspect ratio
constexpr int64_t kBarGap = 22, kBarWidth = 18, kLeastBar = 150;
constexpr double kMostLevels = 10;  // integers with a separate box in the bar

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

// The colour bar of a scale: marks, and one box per integer, or none.
struct Bar {
  ColourScale scale;
  Ticks ticks;
  int64_t levels = 0;
  int64_t height = 0;
  // Colour position for a row of the bar; 0 is the lowest colour.
  double fraction(int64_t row) const {
    if (levels == 0) return 1 - (static_cast<double>(row) + 0.5) / static_cast<double>(height);
    const int64_t level = levels - 1 - row * levels / height;
    return static_cast<double>(level) / static_cast<double>(std::max<int64_t>(levels - 1, 1));
  }
  int64_t row_of(double value) const {
    const double fraction = scale.fraction_of(value);
    if (levels > 0) {
      const double level = fraction * static_cast<double>(levels - 1);
      return height - 1 -
             static_cast<int64_t>((level + 0.5) * static_cast<double>(height) /
                                  static_cast<double>(levels));
    }
    return std::llround((1 - fraction) * static_cast<double>(height - 1));
  }
};

Bar bar_of(const std::pair<double, double>& range, Scalar type, int64_t height) {
  Bar bar{ColourScale(range.first, range.second), {}, 0, height};
  const bool whole = !is_float(type);
  const int most = static_cast<int>(std::clamp<int64_t>(height / 45, 3, 12));
  bar.ticks = ticks_between(range.first, range.second, most, whole);
  const double levels = range.second - range.first + 1;
  if (!whole || levels > kMostLevels || levels != std::floor(levels) || levels < 2) return bar;
  bar.levels = static_cast<int64_t>(levels);
  bar.ticks = ticks_between(range.first, range.second, static_cast<int>(levels), true);
  if (type != Scalar::Bool || levels != 2) return bar;
  bar.ticks.marks = {{0, "false"}, {1, "true"}};
  return bar;
}

void draw_bar(Canvas& canvas, const Bar& bar, int64_t x, int64_t y) {
  for (int64_t row = 0; row < bar.height; ++row) {
    canvas.fill(x, y + row, kBarWidth, 1, bar.scale.at(bar.fraction(row)));
  }
  canvas.frame(x, y, kBarWidth, bar.height, kInk);
  for (const Tick& mark : bar.ticks.marks) {
    const int64_t row = y + bar.row_of(mark.value);
    canvas.fill(x + kBarWidth + 1, row, kTickLength, 1, kInk);
    canvas.text(x + kBarWidth + 1 + kTickLength + kTickGap, row + 4, mark.label, kTickSize, kInk);
  }
  canvas.text(x - 1, y - 8, bar.ticks.common, kTickSize, kInk);
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
  const auto shown = range                         ? *range
                     : labels.type == Scalar::Bool ? std::pair{0.0, 1.0}
                                                   : std::pair{census.least, census.greatest};
  const Bar bar = bar_of(shown, labels.type, std::max(area.height, kLeastBar));
  const bool coloured = census.finite > 0 || range;
  Beside beside;
  if (coloured) {
    const int64_t marks = kBarWidth + kTickLength + kTickGap + widest(bar.ticks);
    beside.width = kBarGap + std::max<int64_t>(marks, text_width(bar.ticks.common, kTickSize));
    beside.height = bar.height;
    if (!bar.ticks.common.empty()) beside.above = kTickSize;
  }
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
  if (coloured) {
    draw_bar(canvas, bar, frame.x() + area.width + kBarGap,
             frame.y() + (area.height - bar.height) / 2);
  }
  return {canvas.take(), frame.x(), frame.y(), area.width, area.height};
}

}  // namespace stencil::runtime
