// Shared by the library and the command line.
#pragma once

#include "runtime/lifting/lifting.h"
#include "stencil/lift.h"

namespace stencil::api {

runtime::LiftRequest lift_request(const std::string& file, const LiftOptions& options);

}  // namespace stencil::api
