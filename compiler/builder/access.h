// Gives the library access to programs built with stencil/builder.h.
#pragma once

#include <string>

#include "compiler/support/diagnostic.h"
#include "compiler/syntax/ast.h"
#include "stencil/builder.h"

namespace stencil {

// The program's text, named "<NAME>", and the syntax tree that results from parsing it. Both live
// as long as `program` or a copy of it.
const Source& source_of(const BuiltProgram& program);
const ast::Program& syntax_of(const BuiltProgram& program);

// The call that made the construct at `span` of the text: that of the innermost statement that
// contains the beginning of `span`. Line 0 if there is none.
dsl::Place place_of(const BuiltProgram& program, Span span);

// The same as render(source, ...), followed by the place in the C++ source:
//
//   <heat>:4:23: error S031: ...
//       4 | ...
//         = written at heat.cpp:31
std::string render(const BuiltProgram& program, const Diagnostic& diagnostic);
std::string render(const BuiltProgram& program, const Diagnostics& diagnostics);

}  // namespace stencil
