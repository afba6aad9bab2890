// Parts of the step that are done several times.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

// Which stencil functions are repeated, and how often. S087 for what cannot stand in a repeat, S088
// for fields of several levels written there. After the stencil functions.
void analyze_repeats(Environment& env, const ast::Program& program);

}  // namespace stencil::sema
