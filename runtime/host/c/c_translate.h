// Translates Clang's AST to the lifter's tree.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/TypeLoc.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/lift/c_tree.h"
#include "runtime/host/c/c_known.h"

namespace stencil::host {

using lifter::CFunction;
using lifter::CKind;
using lifter::CNode;
using lifter::CScalar;
using lifter::CTypeInfo;
using lifter::CVariable;

// The scalar type of `type`; enumerations are scalar. None if `type` is not scalar.
CScalar scalar_of(const clang::ASTContext& context, clang::QualType type);

// A container such as std::vector<T> or std::span<T>: the type T, and the number of elements if the
// type determines it (otherwise -1).
struct Container {
  clang::QualType element;
  int64_t extent = -1;
  bool view = false;
};
std::optional<Container> container_of(const clang::RecordDecl& record);

// mdspan<T, extents<I, ...>, layout>, of the standard library or of a predecessor in any namespace.
// Extents are in memory order, outermost first. -1: the type does not contain the extent.
struct Mdspan {
  clang::QualType element;
  std::vector<int64_t> extents;
  bool left = false;  // layout_left: the first index is contiguous
  // The reason why elements cannot be accessed (another layout); "" if they can be accessed.
  std::string unknown;
};
std::optional<Mdspan> mdspan_of(const clang::RecordDecl& record);

// The code to lift: a function, or statements within a function.
struct CRegion {
  const clang::FunctionDecl* function = nullptr;
  std::vector<const clang::Stmt*> statements;  // empty: the whole function
  std::string name;                            // name of the region
};

class CTranslator {
 public:
  explicit CTranslator(clang::ASTContext& context) : context_(context) {}
  lifter::CTree translate(const CRegion& region);
  // Results of translate(): the first attribute that may change the meaning of the translated code,
  // and the translated functions.
  const std::optional<Unfamiliar>& unfamiliar() const { return unfamiliar_; }
  const std::vector<const clang::FunctionDecl*>& translated() const { return translated_; }

 private:
  int type(clang::QualType type);
  CTypeInfo describe(clang::QualType type);
  CTypeInfo describe_record(clang::QualType type, const clang::RecordDecl& record);
  int variable(const clang::VarDecl* declaration);
  int function(const clang::FunctionDecl* declaration);
  int with_lengths(clang::QualType type, clang::TypeLoc written);
  int with_length(clang::QualType type, clang::ArrayTypeLoc written);
  bool named(int node) const;
  int this_variable(clang::QualType type);
  void parameters_of_region(const CRegion& region, lifter::CFunction& made);

  CNode at(clang::SourceLocation place, CKind kind);
  int add(CNode node);
  int make(const clang::Stmt* at, CKind kind, std::vector<int> children, std::string text = "");
  int made(const clang::Expr* at, CKind kind, std::vector<int> children,
           std::string text = "");  // the node gets the type of `at`
  bool changes_something(const clang::Expr& e) const;
  int unknown(const clang::Stmt* at, const std::string& what);
  int empty(const clang::Stmt* at) { return make(at, lifter::CKind::Empty, {}); }

  int statement(const clang::Stmt* s);
  int control(const clang::Stmt* s);
  int for_loop(const clang::ForStmt* f);
  int switch_statement(const clang::SwitchStmt* s);
  void note(const std::optional<Unfamiliar>& one) {
    if (one && !unfamiliar_) unfamiliar_ = one;
  }
  int declarations(const clang::DeclStmt* s);
  int expression(const clang::Expr* e);
  int constant(const clang::Expr* e, std::string text);
  int translated(const clang::Expr* e);
  std::optional<std::string> not_understood(const clang::Expr* e) const;
  std::optional<int> literal(const clang::Expr* e);
  std::string macro_of(const clang::Expr* e);
  int reference(const clang::DeclRefExpr* e);
  int cast(const clang::CastExpr* e);
  int unary(const clang::UnaryOperator* e);
  int binary(const clang::BinaryOperator* e);
  int member(const clang::MemberExpr* e);
  int call(const clang::CallExpr* e);
  int operator_call(const clang::CXXOperatorCallExpr* e);
  int member_call(const clang::CXXMemberCallExpr* e);
  int called(const clang::CallExpr* e, const clang::FunctionDecl* callee, std::vector<int> first,
             unsigned skip);
  int mdspan_element(const clang::Expr* at, const Mdspan& of, int base,
                     llvm::ArrayRef<const clang::Expr*> indices);
  int mdspan_member(const clang::CXXMemberCallExpr* e, const Mdspan& of, int base);
  int constructed(const clang::CXXConstructExpr* e);
  int by_default(const clang::CXXConstructExpr* e);
  std::optional<int> folded_call(const clang::CallExpr* e, const clang::FunctionDecl* callee,
                                 const std::vector<int>& arguments);
  int mdspan_of_pointer(const clang::CXXConstructExpr* e, const Mdspan& of);
  int first_element(const clang::Expr* at, int base, clang::QualType element);
  int library_call(const clang::CallExpr* e, std::vector<int> children, std::string name);
  int list(const clang::InitListExpr* e);

  clang::ASTContext& context_;
  lifter::CTree tree_;
  struct Line {
    std::string file;
    unsigned number = 0, begin = 0;  // `begin`: offset in the file
  };
  std::map<std::pair<unsigned, unsigned>, Line> lines_;  // by file and line
  std::map<const void*, int> types_, variables_, functions_;
  std::vector<const clang::FunctionDecl*> pending_, translated_;
  std::optional<Unfamiliar> unfamiliar_;
  std::vector<int> this_;  // the variable `this` of the method being translated
};

}  // namespace stencil::host
