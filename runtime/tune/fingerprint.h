// The fingerprint of a program identifies its computation per step independently of sizes: programs
// with equal fingerprints have the same fast schedules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::tune {

// Points of a grid per dimension, outermost first; all positive.
using Sizes = std::vector<int64_t>;

// "512x256", outermost first; parsing returns nullopt for other texts.
std::string print(const Sizes& sizes);
std::optional<Sizes> parse_sizes(const std::string& text);
// As a double, because the product may exceed 64 bits.
double points_of(const Sizes& sizes);

// The extents of the program's grid for these values of params (by ParamId; not needed if the grid
// is constant). nullopt if unknown or empty.
std::optional<Sizes> sizes_of(const ir::Program& program,
                              const std::vector<int64_t>& integers = {});

// The text from which the fingerprint is computed. It contains types, fields with levels and
// boundary rules, the graphs of all functions and reductions, and their regions. Bounds appear as
// their distance from the nearer end of the grid, up to 64 points. Constants are distinguished but
// their values omitted, except those that simplify operations (0, 1, 2, 1/2 and negatives; integers
// up to 8). The number of points of a set appears as its power of ten. Names, initial values,
// checks and the number of steps are omitted.
std::string canonical(const ir::Program& program);

// 32 hexadecimal digits: XXH3 of the canonical text.
std::string fingerprint(const ir::Program& program);

}  // namespace stencil::tune
