// What is found in a State.
#pragma once

#include "compiler/ir/program.h"
#include "runtime/run/non_finite.h"
#include "stencil/state.h"

namespace stencil::api {

// As users see it.
NonFinite described(const ir::Program& program, const runtime::NonFinite& found);

}  // namespace stencil::api
