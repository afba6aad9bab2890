// Traversal of Clang's AST with virtual functions. Each instantiation of Clang's
// RecursiveASTVisitor takes ten seconds to compile and a gigabyte of memory, so this library has
// one, in ast_visitor.cpp.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

namespace stencil::host {

class AstVisitor {
 public:
  virtual ~AstVisitor() = default;

  // Visit everything below the node in source order, instances of templates included.
  void traverse(clang::Decl* decl);
  void traverse(clang::Stmt* statement);

  // Called before and after the parts of a function. If enter returns false, they are not visited
  // and leave is not called.
  virtual bool enter(clang::FunctionDecl*) { return true; }
  virtual void leave(clang::FunctionDecl*) {}
  // Called for each statement and expression before its parts.
  virtual void visit(clang::Stmt*) {}
};

}  // namespace stencil::host
