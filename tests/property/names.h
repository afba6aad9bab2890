// Names and line endings of random programs.
#pragma once

#include <cstdint>

#include "tests/property/choices.h"
#include "tests/property/generator.h"

namespace stencil::property {

// Gives some programs hostile names: words of the compiler, of the target languages and of their
// headers, and names that are hard to distinguish. Gives others line endings other than LF. Only
// the spelling changes; `seed` is the seed of the program.
void rename(GeneratedProgram& program, uint64_t seed, const Choices& choices);

}  // namespace stencil::property
