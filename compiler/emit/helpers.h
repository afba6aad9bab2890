// Small functions that emitted files define if a language lacks them.
#pragma once

#include <set>
#include <string>

#include "compiler/emit/dialect.h"

namespace stencil::emit {

// The definitions of the helpers in `names` (given without the stencil_ prefix) and of the helpers
// that these need, in an order that compiles, each followed by a blank line; empty if there are
// none.
std::string helper_text(const std::set<std::string>& names, const Dialect& dialect);

}  // namespace stencil::emit
