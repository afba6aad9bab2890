#include "runtime/picture/figure_bar.h"

#include <algorithm>
#include <cmath>

#include "runtime/picture/font.h"

namespace stencil::runtime {
namespace {

constexpr int64_t kBarGap = 22, kBarWidth = 18, kLeastBar = 150;
constexpr double kMostLevels = 10;  // integers with a separate box in the bar

}  // namespace

double Bar::fraction(int64_t row) const {
  if (levels == 0) return 1 - (static_cast<double>(row) + 0.5) / static_cast<double>(height);
  const int64_t level = levels - 1 - row * levels / height;
  return static_cast<double>(level) / static_cast<double>(std::max<int64_t>(levels - 1, 1));
}

int64_t Bar::row_of(double value) const {
  const double fraction = scale.fraction_of(value);
  if (levels > 0) {
    const double level = fraction * static_cast<double>(levels - 1);
    return height - 1 -
           static_cast<int64_t>((level + 0.5) * static_cast<double>(height) /
                                static_cast<double>(levels));
  }
  return std::llround((1 - fraction) * static_cast<double>(height - 1));
}

Bar bar_of(const Census& census, const std::optional<std::pair<double, double>>& range, Scalar type,
           int64_t area_height) {
  const auto shown = range                  ? *range
                     : type == Scalar::Bool ? std::pair{0.0, 1.0}
                                            : std::pair{census.least, census.greatest};
  const int64_t height = std::max(area_height, kLeastBar);
  Bar bar{ColourScale(shown.first, shown.second), {}, 0, height};
  const bool whole = !is_float(type);
  const int most = static_cast<int>(std::clamp<int64_t>(height / 45, 3, 12));
  bar.ticks = ticks_between(shown.first, shown.second, most, whole);
  const double levels = shown.second - shown.first + 1;
  if (!whole || levels > kMostLevels || levels != std::floor(levels) || levels < 2) return bar;
  bar.levels = static_cast<int64_t>(levels);
  bar.ticks = ticks_between(shown.first, shown.second, static_cast<int>(levels), true);
  if (type != Scalar::Bool || levels != 2) return bar;
  bar.ticks.marks = {{0, "false"}, {1, "true"}};
  return bar;
}

Beside beside_of(const Bar& bar) {
  Beside beside;
  const int64_t marks = kBarWidth + kTickLength + kTickGap + widest(bar.ticks);
  beside.width = kBarGap + std::max<int64_t>(marks, text_width(bar.ticks.common, kTickSize));
  beside.height = bar.height;
  if (!bar.ticks.common.empty()) beside.above = kTickSize;
  return beside;
}

void draw_bar(Canvas& canvas, const Bar& bar, const Frame& frame, int64_t width, int64_t height) {
  const int64_t x = frame.x() + width + kBarGap, y = frame.y() + (height - bar.height) / 2;
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

}  // namespace stencil::runtime
