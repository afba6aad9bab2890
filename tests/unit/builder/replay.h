// Rebuilds any program through the public interface of the builder.
#pragma once

#include "compiler/syntax/ast.h"
#include "stencil/builder.h"

namespace stencil::test {

// Makes the builder calls for `program`, in the program's order. A construct of the syntax tree
// that the builder lacks fails to compile here. Throws std::out_of_range where the C++ call cannot
// be made: for a name not (yet) declared, for a wrong number of operands, and for attributes of a
// derived grid.
BuildResult replay(const ast::Program& program, const std::string& name,
                   const dsl::FinishOptions& options = {});

}  // namespace stencil::test
