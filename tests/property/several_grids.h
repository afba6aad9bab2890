// Random programs on several grids: fields on any of them, read from any other.
#pragma once

#include "tests/property/generator.h"

namespace stencil::property {

// `seed` determines everything, as in random_program.
GeneratedProgram random_program_on_several_grids(uint64_t seed);

}  // namespace stencil::property
