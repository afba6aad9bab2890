// Programs with small mistakes: tokens and statements of a program changed at random.
#pragma once

#include <string>

#include "tests/property/random.h"

namespace stencil::property {

// One change: a number, an operator, a function, a boundary, a type or a name becomes another one,
// a number that is not 0 gets the other sign, or a statement is left out, written twice, or trades
// places with another one. The result may be no program.
std::string mutated(const std::string& text, Random& random);

}  // namespace stencil::property
