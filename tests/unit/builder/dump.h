// All of a stencil IR but its spans, as text: equal for equal programs, readable where they differ.
#pragma once

#include <string>

#include "compiler/ir/program.h"

namespace stencil::test {

// Blanks within quoted program text (requirements, messages) are left out: they are not the
// program's.
std::string dump(const ir::Program& program);

}  // namespace stencil::test
