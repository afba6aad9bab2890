// What programs call their things, and how their lines end.
#pragma once

#include <cstdint>

#include "tests/property/choices.h"
#include "tests/property/generator.h"

namespace stencil::property {

// Gives some programs hostile names: the compiler's own words, what the targets' languages and
// headers have, and what is hard to tell apart; and others line ends than LF. Only how a program is
// spelled changes: `seed` is that of the program.
void rename(GeneratedProgram& program, uint64_t seed, const Choices& choices);

}  // namespace stencil::property
