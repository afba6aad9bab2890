// Reductions, records and the stop condition.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

// `place`: the number of stencil functions above it.
void declare_reduction(Environment& env, const ast::Reduce& reduce, Span item, size_t place);
// What those over some of the dimensions and records give. S031, S050, S075 to S077, S089.
void declare_profiles(Environment& env);
// Once, whoever asks first. S074.
void analyze_reduce(Environment& env, ir::ReductionId id);
// Gives a reduction that is being analysed the type of its initial value, or `real`.
void assume_type(Environment& env, ReductionInfo& info);
// Of reductions that are read in the step: where they are evaluated. S073.
void place_reductions(Environment& env);
void analyze_stop(Environment& env, const ast::Stop& stop, Span item);

}  // namespace stencil::sema
