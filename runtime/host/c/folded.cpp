// If N is a macro, as in `#define N 2000`, `if (N > 1000)` leaves no branch in the LLVM IR.
// outcomes.cpp finds branches in the LLVM IR and would miss it. If N is a param, the branch depends
// on the value of N, so the proof of the program must count the branch. This visitor therefore
// lists the conditions that Clang evaluates to a number, with the names of the macros and constants
// behind the number.
#include "runtime/host/c/folded.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/Lex/Lexer.h>

#include <optional>

#include "runtime/host/c/ast_visitor.h"

namespace stencil::host {

namespace {

using namespace clang;

// Collects the names that a constant expression depends on.
class Names : public AstVisitor {
 public:
  explicit Names(ASTContext& context) : context_(context) {}

  std::set<std::string> take() { return std::move(names_); }

  void visit(Stmt* s) override {
    if (isa<IntegerLiteral, FloatingLiteral>(s)) macros(cast<Expr>(s)->getExprLoc());
    if (auto* use = dyn_cast<DeclRefExpr>(s)) name(use->getDecl());
  }

 private:
  // Collects the name and those behind its value.
  void name(ValueDecl* named) {
    if (!known_.insert(named).second) return;
    names_.insert(named->getNameAsString());
    if (const auto* variable = dyn_cast<VarDecl>(named)) {
      if (variable->getInit() != nullptr) traverse(const_cast<Expr*>(variable->getInit()));
    } else if (auto* enumerator = dyn_cast<EnumConstantDecl>(named)) {
      if (enumerator->getInitExpr() != nullptr) traverse(enumerator->getInitExpr());
    } else if (auto* function = dyn_cast<FunctionDecl>(named)) {
      if (function->hasBody()) traverse(function->getBody());
    }
  }

  // Collects the macros whose expansion contains a token, from the innermost to the outermost.
  void macros(SourceLocation at) {
    const SourceManager& sources = context_.getSourceManager();
    while (at.isMacroID()) {
      names_.insert(Lexer::getImmediateMacroName(at, sources, context_.getLangOpts()).str());
      at = sources.getImmediateMacroCallerLoc(at);
    }
  }

  ASTContext& context_;
  std::set<const Decl*> known_;
  std::set<std::string> names_;
};

class Conditions : public AstVisitor {
 public:
  Conditions(ASTContext& context, std::vector<FoldedOutcome>& to) : context_(context), to_(to) {}

  bool enter(FunctionDecl* function) override {
    if (context_.getSourceManager().isInSystemHeader(function->getLocation())) return false;
    functions_.push_back(function);
    return true;
  }
  void leave(FunctionDecl*) override { functions_.pop_back(); }

  void visit(Stmt* node) override {
    if (const auto* s = dyn_cast<IfStmt>(node)) return condition(s->getCond(), "branch");
    if (const auto* s = dyn_cast<WhileStmt>(node)) return condition(s->getCond(), "branch");
    if (const auto* s = dyn_cast<DoStmt>(node)) return condition(s->getCond(), "branch");
    if (const auto* s = dyn_cast<ForStmt>(node)) return condition(s->getCond(), "branch");
    if (const auto* s = dyn_cast<SwitchStmt>(node)) return switches(s);
    if (const auto* e = dyn_cast<ConditionalOperator>(node))
      return condition(e->getCond(), "choice");
    if (const auto* e = dyn_cast<BinaryOperator>(node)) {
      if (e->isComparisonOp() || e->isLogicalOp()) condition(e, "comparison");
    } else if (const auto* e = dyn_cast<UnaryOperator>(node)) {
      if (e->getOpcode() == UO_LNot) condition(e, "comparison");
    }
  }

 private:
  void switches(const SwitchStmt* s) {
    const auto value = value_of(s->getCond());
    if (!value) return;
    bool found = false;
    for (const SwitchCase* one = s->getSwitchCaseList(); one; one = one->getNextSwitchCase()) {
      const auto* labelled = dyn_cast<CaseStmt>(one);
      if (labelled == nullptr) continue;
      const auto low = value_of(labelled->getLHS());
      const auto high = labelled->getRHS() ? value_of(labelled->getRHS()) : low;
      if (!low || !high) return;
      const bool here = *low <= *value && *value <= *high;
      found |= here;
      add(s->getCond(), "switch", "case " + std::to_string(*low), here);
    }
    add(s->getCond(), "switch", "no case", !found);
  }

  std::optional<int64_t> value_of(const Expr* e) const {
    if (e == nullptr || e->isValueDependent() || e->isTypeDependent()) return std::nullopt;
    Expr::EvalResult out;
    if (!e->getType()->isIntegralOrEnumerationType() || !e->EvaluateAsInt(out, context_))
      return std::nullopt;
    return out.Val.getInt().getExtValue();
  }

  void condition(const Expr* e, const char* kind) {
    if (e == nullptr || e->isValueDependent() || e->isTypeDependent()) return;
    bool holds = false;
    if (!seen_.insert(e->IgnoreParenImpCasts()).second) return;
    if (!e->EvaluateAsBooleanCondition(holds, context_)) return;
    add(e, kind, "true", holds);
    add(e, kind, "false", !holds);
  }

  void add(const Expr* e, const char* kind, std::string outcome, bool possible) {
    if (functions_.empty()) return;
    const FunctionDecl* function = functions_.back();
    const SourceManager& sources = context_.getSourceManager();
    const SourceLocation in_file = sources.getExpansionLoc(e->getBeginLoc());
    const PresumedLoc at = sources.getPresumedLoc(in_file);
    const PresumedLoc start = sources.getPresumedLoc(function->getLocation());
    if (at.isInvalid() || start.isInvalid() || sources.isInSystemHeader(in_file)) return;
    Names names(context_);
    names.traverse(const_cast<Expr*>(e));
    to_.push_back({function->getNameAsString(), start.getLine(), at.getFilename(), at.getLine(),
                   at.getColumn(), kind, std::move(outcome), possible, names.take()});
  }

  ASTContext& context_;
  std::vector<FoldedOutcome>& to_;
  std::vector<FunctionDecl*> functions_;  // the innermost last
  std::set<const Expr*> seen_;
};

class Consumer : public ASTConsumer {
 public:
  explicit Consumer(std::vector<FoldedOutcome>& to) : to_(to) {}
  void HandleTranslationUnit(ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    Conditions(context, to_).traverse(context.getTranslationUnitDecl());
  }

 private:
  std::vector<FoldedOutcome>& to_;
};

}  // namespace

std::unique_ptr<ASTConsumer> folded_conditions(std::vector<FoldedOutcome>& to) {
  return std::make_unique<Consumer>(to);
}

}  // namespace stencil::host
