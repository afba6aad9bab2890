// Conversions of State results to public types.
#pragma once

#include "compiler/ir/program.h"
#include "runtime/run/non_finite.h"
#include "stencil/state.h"

namespace stencil::api {

NonFinite described(const ir::Program& program, const runtime::NonFinite& found);

}  // namespace stencil::api
