// Writing: syntax tree to program text, the inverse of parsing.
#pragma once

#include <string>
#include <vector>

#include "compiler/syntax/ast.h"

namespace stencil {

struct Written {
  std::string text;

  // The place of each item, and of each `let`, piece and statement of a block in it. An item
  // precedes its parts.
  struct Statement {
    Span node;  // the span of the node in the tree (of a let: of its name)
    Span text;
  };
  std::vector<Statement> statements;
};

// The program as text: one item per line, bodies indented, lines broken at 100 columns, and
// parentheses only where the tree needs them. Parsing the text gives an equal tree except for
// spans, provided that names are valid, numbers are finite and not negative, and bodies and lists
// are not empty, except blocks of statements. Recursion is as deep as the tree, which the caller
// must bound (kMaxExpressionDepth).
Written write(const ast::Program& program);

// An expression as text, in one line.
std::string write(const ast::Expr& expr);

}  // namespace stencil
