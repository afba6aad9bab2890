// Knees of curves. Points must be sorted by x; at least two.
#pragma once

#include <array>
#include <optional>
#include <vector>

namespace stencil::measure {

using Points = std::vector<std::array<double, 2>>;  // x, y

// For rates over the size of a working set: the size at which the time per byte is midway between
// the first and the last point. nullopt if rates do not fall.
std::optional<double> half_way(const Points& points);

// For times over the number of FLOPs, starting at 0: the number at which the time has grown by 10%.
// nullopt if the time does not grow.
std::optional<double> hidden(const Points& points);

// The number of FLOPs that alone would take as long as the work without FLOPs. The time per FLOP is
// that of points with many FLOPs. nullopt if the time does not grow by half.
std::optional<double> balance(const Points& points);

}  // namespace stencil::measure
