// Parsing: program text to syntax tree.
#pragma once

#include <optional>
#include <string>

#include "compiler/support/diagnostic.h"
#include "compiler/syntax/ast.h"

namespace stencil {

// The syntax tree of `source`, or nullopt if the text does not parse (then at least one P0xx error
// has been appended). Reports every item that does not parse: after an error the parser continues
// with the next item. Linear in the length of the text.
std::optional<ast::Program> parse(const Source& source, Diagnostics& diagnostics);

// The tree as indented text, for --emit ast and the tests.
std::string print(const ast::Program& program);

}  // namespace stencil
