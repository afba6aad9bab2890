#include "runtime/measure/knees.h"

#include <algorithm>
#include <cmath>

namespace stencil::measure {

namespace {

double least_time(const Points& points) {
  double least = points.front()[1];
  for (const auto& [x, y] : points) least = std::min(least, y);
  return least;
}

}  // namespace

std::optional<double> half_way(const Points& points) {
  const double near = 1 / points.front()[1], far = 1 / points.back()[1];
  const double half = (near + far) / 2;
  for (size_t p = 1; p < points.size(); ++p) {
    const double before = 1 / points[p - 1][1], after = 1 / points[p][1];
    if (before > half || after < half || after <= before) continue;
    const double part = (half - before) / (after - before);
    return points[p - 1][0] * std::pow(points[p][0] / points[p - 1][0], part);
  }
  return std::nullopt;
}

std::optional<double> hidden(const Points& points) {
  const double most = 1.1 * least_time(points);
  size_t last = points.size();  // number of points up to the last one that takes no longer
  while (last > 0 && points[last - 1][1] > most) --last;
  if (last == 0 || last == points.size()) return std::nullopt;
  const auto& [x0, y0] = points[last - 1];
  const auto& [x1, y1] = points[last];
  return x0 + (x1 - x0) * (most - y0) / (y1 - y0);
}

std::optional<double> balance(const Points& points) {
  if (points.back()[1] < 1.5 * least_time(points)) return std::nullopt;
  double cost = points.back()[1] / points.back()[0];
  for (const auto& [x, y] : points) {
    if (x > 0) cost = std::min(cost, y / x);
  }
  return least_time(points) / cost;
}

}  // namespace stencil::measure
