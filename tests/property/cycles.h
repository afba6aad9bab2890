// Random programs with `step`, `start` and `cycle` blocks, on one grid or on levels of it.
#pragma once

#include "tests/property/generator.h"

namespace stencil::property {

// `seed` determines everything, as in random_program.
GeneratedProgram random_program_with_cycles(uint64_t seed);

}  // namespace stencil::property
