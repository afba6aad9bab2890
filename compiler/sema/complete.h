// The door of semantic analysis: nothing of the program has been lost in silence.
#pragma once

#include <vector>

#include "compiler/sema/environment.h"

namespace stencil::sema {

// The places of what `program` declares or computes and `env` has nothing sound for. A part in
// error is left out of the program under construction, so if no error was reported this is empty.
std::vector<Span> parts_left_out(const Environment& env, const ast::Program& program);

}  // namespace stencil::sema
