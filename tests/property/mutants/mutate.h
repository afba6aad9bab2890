// Mutates programs: random changes of tokens and statements.
#pragma once

#include <string>

#include "tests/property/random.h"

namespace stencil::property {

// Makes one change: replaces a number, operator, function, boundary, type or name; negates a
// nonzero number; or deletes, duplicates or swaps statements. The
// result need not be a valid program.
std::string mutated(const std::string& text, Random& random);

}  // namespace stencil::property
