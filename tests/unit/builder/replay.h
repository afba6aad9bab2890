// Rebuilds any program through the public interface of the builder.
#pragma once

#include <stdexcept>

#include "compiler/syntax/ast.h"
#include "stencil/builder.h"

namespace stencil::test {

// A construct of several grids, which only text has so far.
struct NotInBuilder : std::logic_error {
  using std::logic_error::logic_error;
};

// Makes the builder calls for `program`, in the program's order. A construct of the syntax tree
// that the builder lacks fails to compile here, or throws NotInBuilder. Throws std::out_of_range
// where the C++ call cannot be made: for a name not (yet) declared, and for a wrong number of
// operands.
BuildResult replay(const ast::Program& program, const std::string& name,
                   const dsl::FinishOptions& options = {});

}  // namespace stencil::test
