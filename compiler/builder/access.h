// Gives the library access to programs built with stencil/builder.h.
#pragma once

#include <string>

#include "compiler/support/diagnostic.h"
#include "compiler/syntax/ast.h"
#include "stencil/builder.h"

namespace stencil {

// The text of the program, named "<NAME>", and the syntax tree that the parser builds from it. Both
// live until `program` and all copies of it are destroyed.
const Source& source_of(const BuiltProgram& program);
const ast::Program& syntax_of(const BuiltProgram& program);

// The place of the call that made the construct at `span` of the text. This is the call of the
// innermost statement that contains the beginning of `span`. Line 0 if there is no such statement.
dsl::Place place_of(const BuiltProgram& program, Span span);

// Like render(source, ...), followed by the place in the C++ source:
//
//   <heat>:4:23: error S031: ...
//       4 | ...
//         = written at heat.cpp:31
std::string render(const BuiltProgram& program, const Diagnostic& diagnostic);
std::string render(const BuiltProgram& program, const Diagnostics& diagnostics);

}  // namespace stencil
