// Declarations: each adds to the environment what its item declares, or reports why it cannot.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

void declare_param(Environment& env, const ast::Param& param);
// -D, --open and --fix must name params that exist (S006), --fix one with a value (S042).
void check_definitions(Environment& env);
// After everything else, where --steps replaces the expression `steps` of the grid: what it names
// counts as used, and a param that nothing else uses needs no value; if it has none, it takes 0.
void settle_replaced_steps(Environment& env, const ast::Expr& steps);

// Null if in error, which has been reported.
TypePtr elaborate_type(Environment& env, const ast::TypeExpr& type);

void declare_type(Environment& env, const ast::TypeDecl& type);
void declare_grid(Environment& env, const ast::Grid& grid);
void declare_subgrid(Environment& env, const ast::Subgrid& subgrid);
void declare_field(Environment& env, const ast::Field& field, Span item);
void declare_points(Environment& env, const ast::Points& points, Span item);
void declare_series(Environment& env, const ast::Series& series, Span item);
// Where the profile of a reduction is, and in which dimensions, once its region is known. S050,
// S075, S076.
void declare_profile(Environment& env, ReductionInfo& info);
// Where a record is: its rows, the points that it is made at, its interval. S031, S089.
void declare_record(Environment& env, ReductionInfo& info);
// What its values are, once that is known, and its boundary.
void settle_profile(Environment& env, ReductionInfo& info, Scalar type);
void declare_table(Environment& env, const ast::Table& table);
void declare_function(Environment& env, const ast::Function& function);

}  // namespace stencil::sema
