// The boundary rules of a field or series.
#pragma once

#include <vector>

#include "compiler/sema/environment.h"

namespace stencil::sema {

// Sets the rules of `boundary` on the field, one for each entry of field.boundary. Stores the rules
// that the IR does not have in `side_rules`. Returns false after a reported error.
bool take_boundary(Environment& env, const ast::Boundary& boundary, const Type& type,
                   ir::Field& field, std::vector<SideRules>& side_rules);

}  // namespace stencil::sema
