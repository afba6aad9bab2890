// What is drawn differently for grids of rank 4 to 8: their sides are short, and tiles have a few
// points in every dimension.
#pragma once

#include <string>

#include "tests/property/generator.h"
#include "tests/property/random.h"

namespace stencil::property {

int largest_offset(int rank);
int random_extent(Random& random, int rank, int needed);
// Of the families that serve these ranks.
std::string random_deep_schedule(Random& random, const std::string& family, int rank);
// A program that needs so many points takes the interpreter too long.
bool too_large(const GeneratedProgram& program);

}  // namespace stencil::property
