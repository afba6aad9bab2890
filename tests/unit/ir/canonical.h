// Programs as text that does not depend on places, names of values or the order of nodes.
#pragma once

#include <string>

#include "compiler/ir/program.h"

namespace stencil::test {

// Equal programs have equal texts. Checks that only concern the names of sub-grids are left out.
std::string canonical_text(ir::Program program);

}  // namespace stencil::test
