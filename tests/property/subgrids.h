// Random programs on subgrids: fields on all kinds of boxes, read from anywhere.
#pragma once

#include "tests/property/generator.h"

namespace stencil::property {

// `seed` determines everything, as in random_program.
GeneratedProgram random_subgrid_program(uint64_t seed);

}  // namespace stencil::property
