// What the library takes from a program made with stencil/builder.h.
#pragma once

#include <string>

#include "compiler/support/diagnostic.h"
#include "compiler/syntax/ast.h"
#include "stencil/builder.h"

namespace stencil {

// The program's text, named "<NAME>", and its tree with spans in that text: what parsing the text
// gives. Both live as long as `program` or a copy of it.
const Source& source_of(const BuiltProgram& program);
const ast::Program& syntax_of(const BuiltProgram& program);

// The call that made what stands at `span` of the text: the innermost statement that contains its
// begin. Line 0 if there is none.
dsl::Place place_of(const BuiltProgram& program, Span span);

// As render(source, ...), with the places in the C++ source:
//
//   <heat>:4:23: error S031: ...
//       4 | ...
//         = written at heat.cpp:31
std::string render(const BuiltProgram& program, const Diagnostic& diagnostic);
std::string render(const BuiltProgram& program, const Diagnostics& diagnostics);

}  // namespace stencil
