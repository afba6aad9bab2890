// If N is a macro, as in `#define N 2000`, `if (N > 1000)` leaves no branch in the LLVM IR.
// outcomes.cpp finds branches in the LLVM IR and would miss it. If N is a param, the branch depends
// on the value of N, so the proof of the program must count the branch. This visitor therefore
// lists the conditions that Clang evaluates to a number, with the names of the macros and constants
// behind the number.
#include "runtime/host/folded.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <optional>

namespace stencil::host {

namespace {

using namespace clang;

// Collects the names that a constant expression depends on.
class Names : public RecursiveASTVisitor<Names> {
 public:
  explicit Names(ASTContext& context) : context_(context) {}

  std::set<std::string> take() { return std::move(names_); }

  bool VisitIntegerLiteral(IntegerLiteral* literal) { return macros(literal->getLocation()); }
  bool VisitFloatingLiteral(FloatingLiteral* literal) { return macros(literal->getLocation()); }
  bool VisitDeclRefExpr(DeclRefExpr* use) {
    ValueDecl* named = use->getDecl();
    if (!known_.insert(named).second) return true;
    names_.insert(named->getNameAsString());
    if (const auto* variable = dyn_cast<VarDecl>(named)) {
      if (variable->getInit() != nullptr) TraverseStmt(const_cast<Expr*>(variable->getInit()));
    } else if (auto* enumerator = dyn_cast<EnumConstantDecl>(named)) {
      if (enumerator->getInitExpr() != nullptr) TraverseStmt(enumerator->getInitExpr());
    } else if (auto* function = dyn_cast<FunctionDecl>(named)) {
      if (function->hasBody()) TraverseStmt(function->getBody());
    }
    return true;
  }

 private:
  // Collects the macros whose expansion contains a token, from the innermost to the outermost.
  bool macros(SourceLocation at) {
    const SourceManager& sources = context_.getSourceManager();
    while (at.isMacroID()) {
      names_.insert(Lexer::getImmediateMacroName(at, sources, context_.getLangOpts()).str());
      at = sources.getImmediateMacroCallerLoc(at);
    }
    return true;
  }

  ASTContext& context_;
  std::set<const Decl*> known_;
  std::set<std::string> names_;
};

class Conditions : public RecursiveASTVisitor<Conditions> {
 public:
  Conditions(ASTContext& context, std::vector<FoldedOutcome>& to) : context_(context), to_(to) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseFunctionDecl(FunctionDecl* function) {
    return inside(function, [&] { return Base::TraverseFunctionDecl(function); });
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl* function) {
    return inside(function, [&] { return Base::TraverseCXXMethodDecl(function); });
  }
  bool TraverseCXXConstructorDecl(CXXConstructorDecl* function) {
    return inside(function, [&] { return Base::TraverseCXXConstructorDecl(function); });
  }

  bool VisitIfStmt(IfStmt* s) { return condition(s->getCond(), "branch"); }
  bool VisitWhileStmt(WhileStmt* s) { return condition(s->getCond(), "branch"); }
  bool VisitDoStmt(DoStmt* s) { return condition(s->getCond(), "branch"); }
  bool VisitForStmt(ForStmt* s) { return condition(s->getCond(), "branch"); }
  bool VisitConditionalOperator(ConditionalOperator* e) {
    return condition(e->getCond(), "choice");
  }
  bool VisitBinaryOperator(BinaryOperator* e) {
    return !e->isComparisonOp() && !e->isLogicalOp() ? true : condition(e, "comparison");
  }
  bool VisitUnaryOperator(UnaryOperator* e) {
    return e->getOpcode() != UO_LNot ? true : condition(e, "comparison");
  }
  bool VisitSwitchStmt(SwitchStmt* s) {
    const auto value = value_of(s->getCond());
    if (!value) return true;
    bool found = false;
    for (const SwitchCase* one = s->getSwitchCaseList(); one; one = one->getNextSwitchCase()) {
      const auto* labelled = dyn_cast<CaseStmt>(one);
      if (labelled == nullptr) continue;
      const auto low = value_of(labelled->getLHS());
      const auto high = labelled->getRHS() ? value_of(labelled->getRHS()) : low;
      if (!low || !high) return true;
      const bool here = *low <= *value && *value <= *high;
      found |= here;
      add(s->getCond(), "switch", "case " + std::to_string(*low), here);
    }
    add(s->getCond(), "switch", "no case", !found);
    return true;
  }

 private:
  using Base = RecursiveASTVisitor<Conditions>;

  template <class Traverse>
  bool inside(FunctionDecl* function, const Traverse& traverse) {
    if (context_.getSourceManager().isInSystemHeader(function->getLocation())) return true;
    FunctionDecl* outer = std::exchange(function_, function);
    const bool more = traverse();
    function_ = outer;
    return more;
  }

  std::optional<int64_t> value_of(const Expr* e) const {
    if (e == nullptr || e->isValueDependent() || e->isTypeDependent()) return std::nullopt;
    Expr::EvalResult out;
    if (!e->getType()->isIntegralOrEnumerationType() || !e->EvaluateAsInt(out, context_))
      return std::nullopt;
    return out.Val.getInt().getExtValue();
  }

  bool condition(const Expr* e, const char* kind) {
    if (e == nullptr || e->isValueDependent() || e->isTypeDependent()) return true;
    bool holds = false;
    if (!seen_.insert(e->IgnoreParenImpCasts()).second) return true;
    if (!e->EvaluateAsBooleanCondition(holds, context_)) return true;
    add(e, kind, "true", holds);
    add(e, kind, "false", !holds);
    return true;
  }

  void add(const Expr* e, const char* kind, std::string outcome, bool possible) {
    if (function_ == nullptr) return;
    const SourceManager& sources = context_.getSourceManager();
    const SourceLocation in_file = sources.getExpansionLoc(e->getBeginLoc());
    const PresumedLoc at = sources.getPresumedLoc(in_file);
    const PresumedLoc start = sources.getPresumedLoc(function_->getLocation());
    if (at.isInvalid() || start.isInvalid() || sources.isInSystemHeader(in_file)) return;
    Names names(context_);
    names.TraverseStmt(const_cast<Expr*>(e));
    to_.push_back({function_->getNameAsString(), start.getLine(), at.getFilename(), at.getLine(),
                   at.getColumn(), kind, std::move(outcome), possible, names.take()});
  }

  ASTContext& context_;
  std::vector<FoldedOutcome>& to_;
  FunctionDecl* function_ = nullptr;
  std::set<const Expr*> seen_;
};

class Consumer : public ASTConsumer {
 public:
  explicit Consumer(std::vector<FoldedOutcome>& to) : to_(to) {}
  void HandleTranslationUnit(ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    Conditions(context, to_).TraverseDecl(context.getTranslationUnitDecl());
  }

 private:
  std::vector<FoldedOutcome>& to_;
};

}  // namespace

std::unique_ptr<ASTConsumer> folded_conditions(std::vector<FoldedOutcome>& to) {
  return std::make_unique<Consumer>(to);
}

}  // namespace stencil::host
