// What a program computes: stencils, initial values, reductions, the stop condition, requirements.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

// What the condition says about the open params, for the proofs of bounds; to be called for every
// requirement before any proof.
void assume_requirement(Environment& env, const ast::Require& require);
void analyze_requirement(Environment& env, const ast::Require& require);

// The names in a function's body, whether it is applied or not (its types are known only then).
// S004.
void check_function_names(Environment& env, const ast::Function& function);

void analyze_stencil(Environment& env, const ast::Stencil& stencil);
void analyze_init(Environment& env, const ast::Init& init, Span item);
// `place`: the number of stencil functions above it.
void declare_reduction(Environment& env, const ast::Reduce& reduce, Span item, size_t place);
// What those over some of the dimensions give. S050, S075 to S077.
void declare_profiles(Environment& env);
// Once, whoever asks first. S074.
void analyze_reduce(Environment& env, ir::ReductionId id);
// Gives a reduction that is being analysed the type of its initial value, or `real`.
void assume_type(Environment& env, ReductionInfo& info);
// Of reductions that are read in the step: where they are evaluated. S073.
void place_reductions(Environment& env);
void analyze_stop(Environment& env, const ast::Stop& stop, Span item);

}  // namespace stencil::sema
