// The environment variables of the project, and what they may hold.
#pragma once

#include "runtime/result.h"

namespace stencil::runtime {

// R077 for a variable STENCIL_... that holds what it does not take, or whose name is nearly one of
// those that are read. A variable that is empty counts as not set.
Status check_environment();

}  // namespace stencil::runtime
