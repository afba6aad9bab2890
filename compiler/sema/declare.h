// Declarations: each function adds the declaration of its item to the environment or reports an
// error.
#pragma once

#include "compiler/sema/environment.h"

namespace stencil::sema {

void declare_param(Environment& env, const ast::Param& param);
// Checks that -D, --open and --fix name existing params (S006), and that each param of --fix has a
// value (S042).
void check_definitions(Environment& env);
// Must run last, and only if --steps replaces the expression `steps` of the grid. The params in
// that expression count as used. If nothing else uses such a param, the param needs no value;
// without a value it becomes 0.
void settle_replaced_steps(Environment& env, const ast::Expr& steps);

// False (S065) for a sub-grid with a stride, which cannot be the domain of a field.
bool require_every_point(Environment& env, const Region& region, const ast::Identifier& name);

// Returns null after a reported error.
TypePtr elaborate_type(Environment& env, const ast::TypeExpr& type);

void declare_type(Environment& env, const ast::TypeDecl& type);
// The first grid.
void declare_grid(Environment& env, const ast::Grid& grid);
// A grid that is derived from one above it. S005, S014, S029, S094 if the grid cannot be divided,
// S095 for an attribute that only the first grid has.
void declare_coarse_grid(Environment& env, const ast::Grid& grid);
void declare_subgrid(Environment& env, const ast::Subgrid& subgrid);
void declare_field(Environment& env, const ast::Field& field, Span item);
void declare_points(Environment& env, const ast::Points& points, Span item);
void declare_series(Environment& env, const ast::Series& series, Span item);
// Sets the box and dimensions of the field that a reduction over some dimensions gives (its
// profile). Must run once the region of the reduction is known. S050, S075, S076.
void declare_profile(Environment& env, ReductionInfo& info);
// Sets the rows, the points and the interval of a record. S031, S089.
void declare_record(Environment& env, ReductionInfo& info);
// Sets the element type and the boundary of a profile. Must run once the type is known.
void settle_profile(Environment& env, ReductionInfo& info, Scalar type);
void declare_table(Environment& env, const ast::Table& table);
void declare_function(Environment& env, const ast::Function& function);

}  // namespace stencil::sema
