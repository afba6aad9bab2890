// Checks for programs that the interpreter cannot run.
#pragma once

#include <string>

#include "compiler/reference/state.h"

namespace stencil::reference {

// Why `program` cannot run with the boxes of `state` (buffers need not exist yet); empty if it can
// run: every region lies within its target, every access stays within its field or has a boundary
// rule that gives it a value, and every operator is defined for its types.
std::string refusal(const ir::Program& program, const State& state);

}  // namespace stencil::reference
