// Source text in messages.
#pragma once

#include <string>

namespace stencil::runtime {

// Source text with its lines numbered, for the messages of a device's compiler.
std::string numbered(const std::string& source);

}  // namespace stencil::runtime
