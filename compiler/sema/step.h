// The tree of a step: stencil functions, repeats, and the reductions that the step reads.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

// Makes `env.program.run.body`. Must run after all stencil functions and reductions are analysed.
// Reports S087 for items that a repeat cannot contain, and S088 if a repeat writes a field with
// several levels.
void build_step(Environment& env, const ast::Program& program);

// S088 for fields with several levels that a `step` block writes several times.
void refuse_repeated_levels(Environment& env);

}  // namespace stencil::sema
