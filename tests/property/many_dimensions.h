// Adjustments for grids of rank 4 to 8: their sides are short.
#pragma once

#include "tests/property/generator.h"
#include "tests/property/random.h"

namespace stencil::property {

int largest_offset(int rank);
int random_extent(Random& random, int rank, int needed);
// Whether the interpreter would take too long.
bool too_large(const GeneratedProgram& program);

}  // namespace stencil::property
