// The only instantiation of Clang's RecursiveASTVisitor; see ast_visitor.h.
#include "runtime/host/c/ast_visitor.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace stencil::host {

namespace {

using namespace clang;

class Traversal : public RecursiveASTVisitor<Traversal> {
  using Base = RecursiveASTVisitor<Traversal>;

 public:
  explicit Traversal(AstVisitor& to) : to_(to) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitStmt(Stmt* statement) {
    to_.visit(statement);
    return true;
  }
  bool TraverseFunctionDecl(FunctionDecl* f) {
    return inside(f, [&] { return Base::TraverseFunctionDecl(f); });
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl* f) {
    return inside(f, [&] { return Base::TraverseCXXMethodDecl(f); });
  }
  bool TraverseCXXConstructorDecl(CXXConstructorDecl* f) {
    return inside(f, [&] { return Base::TraverseCXXConstructorDecl(f); });
  }
  bool TraverseCXXDestructorDecl(CXXDestructorDecl* f) {
    return inside(f, [&] { return Base::TraverseCXXDestructorDecl(f); });
  }
  bool TraverseCXXConversionDecl(CXXConversionDecl* f) {
    return inside(f, [&] { return Base::TraverseCXXConversionDecl(f); });
  }

 private:
  template <class Parts>
  bool inside(FunctionDecl* function, const Parts& parts) {
    if (function == nullptr || !to_.enter(function)) return true;
    const bool more = parts();
    to_.leave(function);
    return more;
  }

  AstVisitor& to_;
};

}  // namespace

void AstVisitor::traverse(Decl* decl) {
  Traversal(*this).TraverseDecl(decl);
}
void AstVisitor::traverse(Stmt* statement) {
  Traversal(*this).TraverseStmt(statement);
}

}  // namespace stencil::host
