// Repeats: parts of the step that run several times.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

// Determines which stencil functions are repeated and how often. Must run after all stencil
// functions are analysed. Reports S087 for items that a repeat cannot contain, and S088 if a repeat
// writes a field with several levels.
void analyze_repeats(Environment& env, const ast::Program& program);

}  // namespace stencil::sema
