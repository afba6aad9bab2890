// Finds conditions that Clang's code generator folds, so that no branch remains in the LLVM IR.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/SourceManager.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace stencil::host {

// One outcome of a folded condition.
struct FoldedOutcome {
  std::string function;  // unqualified name of the function that contains it
  unsigned function_line = 0;
  std::string file;  // as in #line directives
  unsigned line = 0, column = 0;
  std::string kind;     // branch, choice, comparison, switch
  std::string outcome;  // true, false, "case 3", "no case"
  bool possible = false;
  // Names of the macros, constants and enumerators that the folded number depends on.
  std::set<std::string> names;
};

// Appends the folded conditions of all function bodies outside of system headers to `to`. This
// happens before code is generated for these bodies.
std::unique_ptr<clang::ASTConsumer> folded_conditions(std::vector<FoldedOutcome>& to);

}  // namespace stencil::host
