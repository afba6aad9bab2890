// What the interpreter refuses to run.
#pragma once

#include <string>

#include "compiler/reference/state.h"

namespace stencil::reference {

// Why `program` cannot run with the boxes of `state` (buffers need not exist yet); empty if it can:
// every region lies in its target, every access stays in its field or has a boundary rule that
// gives it a value, every operator is defined for its types.
std::string refusal(const ir::Program& program, const State& state);

}  // namespace stencil::reference
