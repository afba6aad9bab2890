// Writing: a program as mathematics to the text of a `.stn` file, the inverse of semantic analysis.
#pragma once

#include <string>

#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::ir {

// The program, which is in Form::Mathematics, as text. Analysing the text with the same --real and
// --fp gives an equal program, except for names of values, sub-grids and indices, the order of
// nodes, and the texts of messages. Functions, tables, named types and sub-grids of the source are
// not in the IR, so expressions are written out. nullopt with S093 for what the language cannot
// express.
std::optional<std::string> write(const Program& program, Diagnostics& diagnostics);

}  // namespace stencil::ir
