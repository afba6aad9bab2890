// Prints a stencil IR without its spans, so that equal programs give equal texts.
#pragma once

#include <string>

#include "compiler/ir/program.h"

namespace stencil::test {

// Blanks in quoted program text (requirements, messages) are dropped: the builder
// does not keep the text's spacing.
std::string dump(const ir::Program& program);

}  // namespace stencil::test
