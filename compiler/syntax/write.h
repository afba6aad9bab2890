// Writing: syntax tree to program text, the inverse of parsing.
#pragma once

#include <string>
#include <vector>

#include "compiler/syntax/ast.h"

namespace stencil {

struct Written {
  std::string text;

  // Where each item, and each `let` and piece within one, stands. An item comes before its parts.
  struct Statement {
    Span node;  // the span that the node has in the tree (of a let: its name's)
    Span text;
  };
  std::vector<Statement> statements;
};

// The program as text: an item a line, bodies indented, lines broken at 100 columns, and
// parentheses only where the tree needs them. Parsing it gives an equal tree up to spans, provided
// that the tree could have been parsed: names are names, numbers are finite and not negative,
// bodies and lists are not empty. Recursion is as deep as the tree, which whoever makes it bounds
// (kMaxExpressionDepth).
Written write(const ast::Program& program);

// An expression likewise, in one line.
std::string write(const ast::Expr& expr);

}  // namespace stencil
