// The small functions that emitted files define for what a language lacks.
#pragma once

#include <set>
#include <string>

#include "compiler/emit/dialect.h"

namespace stencil::emit {

// The definitions of the helpers named (without their stencil_ prefix) and of those they need, in
// an order that compiles, a blank line after each; empty if none.
std::string helper_text(const std::set<std::string>& names, const Dialect& dialect);

}  // namespace stencil::emit
