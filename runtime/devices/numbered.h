// Adds line numbers to source text, for messages of a device's compiler.
#pragma once

#include <string>

namespace stencil::runtime {

std::string numbered(const std::string& source);

}  // namespace stencil::runtime
