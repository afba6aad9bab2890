// Where curves bend. Points are ordered by x and there are at least two.
#pragma once

#include <array>
#include <optional>
#include <vector>

namespace stencil::measure {

using Points = std::vector<std::array<double, 2>>;  // x, y

// Of rates over the size of a working set: the size of which half is served at the last rate,
// judged by the time of a byte. Nothing if rates do not fall.
std::optional<double> half_way(const Points& points);

// Of times over FLOPs, the first of which is without any: the FLOPs at which the time has grown by
// a tenth. Nothing if it does not.
std::optional<double> hidden(const Points& points);

// And those that alone take as long as what is done without them; a FLOP costs what it does where
// there are many. Nothing if the time does not grow by half.
std::optional<double> balance(const Points& points);

}  // namespace stencil::measure
