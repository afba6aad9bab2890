// Parts of the step that run several times.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

// Finds which stencil functions are repeated and how often. Must run after all stencil functions
// are analysed. S087 for items that a repeat cannot contain, S088 for fields with several levels
// that it writes.
void analyze_repeats(Environment& env, const ast::Program& program);

}  // namespace stencil::sema
