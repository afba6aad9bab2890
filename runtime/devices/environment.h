// The environment variables of the project, and what they may hold.
#pragma once

#include <optional>

#include "stencil/result.h"

namespace stencil::runtime {

// R077 for a variable STENCIL_... that holds what it does not take, or whose name is nearly one of
// those that are read. A variable that is empty counts as not set.
Status check_environment();

// A warning, R078, that names the variables STENCIL_... that nobody reads; nothing if there are
// none.
std::optional<Failure> unknown_variables();

}  // namespace stencil::runtime
