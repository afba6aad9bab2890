// Final check of semantic analysis: no part of the program was dropped without a message.
#pragma once

#include <vector>

#include "compiler/sema/environment.h"

namespace stencil::sema {

// The places of the items and pieces of `program` for which `env` has no valid result. Parts with
// errors are left out of the program, so this is empty if no error was reported.
std::vector<Span> parts_left_out(const Environment& env, const ast::Program& program);

}  // namespace stencil::sema
