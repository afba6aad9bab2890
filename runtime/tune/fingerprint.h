// What two programs have in common if schedules that are fast for one are fast for the other: a
// name for the computation of a step that holds at every size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::tune {

// Points of a grid per dimension, outermost first; each is positive.
using Sizes = std::vector<int64_t>;

// "512x256", outermost first; and back, nothing for other texts.
std::string print(const Sizes& sizes);
std::optional<Sizes> parse_sizes(const std::string& text);
// As a double, since the product may be beyond 64 bits.
double points_of(const Sizes& sizes);

// The extents of the program's grid at these values of its params (by ParamId; none are needed
// where the grid is known). Nothing if it is not known, or empty.
std::optional<Sizes> sizes_of(const ir::Program& program,
                              const std::vector<int64_t>& integers = {});

// What the name is made of, as text. In it are types, fields with levels and boundary rules, the
// graphs of all functions and reductions, and their regions. Bounds are told by their distance from
// the nearer end of the grid, and only up to 64 points. Constants are told apart and not what they
// are, but for those that operations vanish with (0, 1, 2, a half, and their negatives; integers up
// to 8), and numbers of points of a set by their power of ten. Names, initial values, checks and the
// number of steps are not in it.
std::string canonical(const ir::Program& program);

// 32 hexadecimal digits: XXH3 of the canonical text.
std::string fingerprint(const ir::Program& program);

}  // namespace stencil::tune
