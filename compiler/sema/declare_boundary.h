// The boundary of a field or series.
#pragma once

#include <vector>

#include "compiler/sema/environment.h"

namespace stencil::sema {

// Gives the field the rules of `boundary`, one for each entry that field.boundary has, and `edges`
// what accesses choose besides. False if in error, which has been reported.
bool take_boundary(Environment& env, const ast::Boundary& boundary, const Type& type,
                   ir::Field& field, std::vector<Edges>& edges);

}  // namespace stencil::sema
