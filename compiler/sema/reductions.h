// Reductions, records and the stop condition.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

void declare_reduction(Environment& env, const ast::Reduce& reduce, Span item);
// Declares the fields that result from records and from reductions over some dimensions. S031,
// S050, S075 to S077, S089.
void declare_profiles(Environment& env);
// Analyses a reduction; later calls do nothing. S074.
void analyze_reduce(Environment& env, ir::ReductionId id);
// Sets the type of a reduction that is still being analysed: the type of its initial value, or
// `real` if it has no initial value.
void assume_type(Environment& env, ReductionInfo& info);
// Determines where the reductions that the step reads are evaluated. S073.
void place_reductions(Environment& env);
void analyze_stop(Environment& env, const ast::Stop& stop, Span item);

}  // namespace stencil::sema
