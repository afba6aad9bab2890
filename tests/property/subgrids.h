// Random programs on sub-grids: fields on boxes of all sorts, read from anywhere.
#pragma once

#include "tests/property/generator.h"

namespace stencil::property {

// `seed` decides everything, as for random_program.
GeneratedProgram random_subgrid_program(uint64_t seed);

}  // namespace stencil::property
