// What is drawn differently for grids of rank 4 to 8: their sides are short, and tiles have a few
// points in every dimension.
#pragma once

#include <string>

#include "tests/property/generator.h"

namespace stencil::property {

int random_rank(Random& random);  // mostly 1 to 3, sometimes 4, rarely more

// The rest is for ranks from 4 on.
int largest_offset(int rank);
int random_extent(Random& random, int rank, int needed);
// Schedule settings: "block=... elements=...".
std::string random_shapes(Random& random, int rank);
// A program that needs so many points takes the interpreter too long.
bool too_large(const GeneratedProgram& program);

}  // namespace stencil::property
