// The boundary rules of a field or series.
#pragma once

#include <vector>

#include "compiler/sema/environment.h"

namespace stencil::sema {

// Sets the rules of `boundary` on the field, one for each entry of field.boundary, except values
// that are not numbers: their expressions go to `side_values` until elaborate_rules()
// (elaborate.h). Returns false after a reported error.
bool take_boundary(Environment& env, const ast::Boundary& boundary, const Type& type,
                   ir::Field& field, std::vector<SideValues>& side_values);

}  // namespace stencil::sema
