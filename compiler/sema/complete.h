// The final check of semantic analysis: every part of the program is analysed or was reported.
#pragma once

#include <vector>

#include "compiler/sema/environment.h"

namespace stencil::sema {

// The places of the items and pieces of `program` for which `env` has no valid result. Such parts
// have errors, so the result is empty if no error occurred. Otherwise an error must have been
// reported.
std::vector<Span> parts_left_out(const Environment& env, const ast::Program& program);

}  // namespace stencil::sema
