// random(i, j, seed) as 64-bit operations.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

// The 64 random bits of coordinates and a seed, which comes last.
int64_t random_bits(const std::vector<int64_t>& words);

// The pass: replaces Op::Random by the operations that compute it.
Program expand_random(const Program& program);

}  // namespace stencil::ir
