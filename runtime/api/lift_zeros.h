// What a proof says of the sign of zeros, where C or the language leaves it open.
#pragma once

#include <string>

#include "compiler/lift/lift.h"

namespace stencil::api {

// "every bit is the same", with its exceptions. `differ`: some zeros had different signs.
std::string same_bits(const lifter::Lifted& lifted, bool differ);

}  // namespace stencil::api
