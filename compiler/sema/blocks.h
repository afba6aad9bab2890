// The blocks `step` and `cycle`: what a step applies, in which order and on which levels.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

// Whether the program has a `step` block. Its step is then the block, not the order of the text.
bool has_step_block(const ast::Program& program);

// Expands the `step` block, and analyses each stencil function once for every level at which the
// block applies it. Makes `env.program.functions`, in the order of their first applications, and
// `env.program.run.body`. Must run after the reductions are declared. S002, S010, S201 to S206.
void analyze_blocks(Environment& env, const ast::Program& program);

// S207 for blocks in a program without a `step` block, which have no effect. Returns true if there
// are any.
bool refuse_blocks_without_step(Environment& env, const ast::Program& program);

// Reports functions that would read two different values of a reduction, because the step applies
// them before and after its place (S204). Must run after all functions are analysed.
void check_readers(Environment& env);

}  // namespace stencil::sema
