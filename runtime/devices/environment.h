// The environment variables of the project and their valid values.
#pragma once

#include <optional>

#include "stencil/result.h"

namespace stencil::runtime {

// R077 if a variable STENCIL_... has an invalid value, or if its name closely resembles that of a
// known variable. An empty variable counts as unset.
Status check_environment();

// The warning R078 naming all unknown variables STENCIL_...; nullopt if there are none.
std::optional<Failure> unknown_variables();

}  // namespace stencil::runtime
