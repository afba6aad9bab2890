// Parsing: program text to syntax tree.
#pragma once

#include <optional>
#include <string>

#include "compiler/support/diagnostic.h"
#include "compiler/syntax/ast.h"

namespace stencil {

// The syntax tree of `source`. Appends a P0xx error for every item that does not parse, and for
// every statement of a body, and sets Program::has_errors. Items with errors are missing from the
// tree and listed in Program::broken, except those of which only the ';' is missing. Linear in the
// length of the text.
ast::Program parse_with_errors(const Source& source, Diagnostics& diagnostics);

// Like parse_with_errors, but nullopt if there are errors.
std::optional<ast::Program> parse(const Source& source, Diagnostics& diagnostics);

// The tree as indented text, for --emit ast and the tests.
std::string print(const ast::Program& program);

}  // namespace stencil
