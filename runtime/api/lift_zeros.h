// How a proof reports signs of zeros that C or the language leaves open.
#pragma once

#include <string>

#include "compiler/lift/lift.h"

namespace stencil::api {

// Returns "every bit is the same" with any exceptions. `differ`: some zeros had different signs.
std::string same_bits(const lifter::Lifted& lifted, bool differ);

}  // namespace stencil::api
