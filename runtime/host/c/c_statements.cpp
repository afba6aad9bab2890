// Translates statements of the AST to nodes. Statements of unsupported kinds become Unknown.
// Switches and loops with several counters are rewritten with nodes that the lifter supports.
#include "runtime/host/c/c_translate.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

namespace stencil::host {

using namespace clang;

namespace {

const VarDecl* variable_of(const Expr* e) {
  const auto* reference =
      dyn_cast_or_null<DeclRefExpr>(e == nullptr ? e : e->IgnoreParenImpCasts());
  return reference == nullptr ? nullptr : dyn_cast<VarDecl>(reference->getDecl());
}

bool mentions(const Stmt* s, const VarDecl* variable) {
  if (s == nullptr) return false;
  if (const auto* reference = dyn_cast<DeclRefExpr>(s)) {
    if (reference->getDecl() == variable) return true;
  }
  const auto children = s->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return mentions(child, variable); });
}

// Whether a statement contains a continue (or break) that applies to the enclosing loop (or
// switch).
template <class Jump>
bool jumps(const Stmt* s) {
  if (s == nullptr || isa<Expr>(s)) return false;
  if (isa<Jump>(s)) return true;
  const bool loop =
      isa<ForStmt>(s) || isa<WhileStmt>(s) || isa<DoStmt>(s) || isa<CXXForRangeStmt>(s);
  if (loop || (std::is_same_v<Jump, BreakStmt> && isa<SwitchStmt>(s))) return false;
  const auto children = s->children();
  return std::any_of(children.begin(), children.end(),
                     [](const Stmt* child) { return jumps<Jump>(child); });
}

// Splits a step such as i++, j-- into its parts, in order.
void parts_of(const Expr* step, std::vector<const Expr*>& out) {
  const auto* comma = step == nullptr ? nullptr : dyn_cast<BinaryOperator>(step->IgnoreParens());
  if (comma == nullptr || comma->getOpcode() != BO_Comma) {
    if (step != nullptr) out.push_back(step);
    return;
  }
  parts_of(comma->getLHS(), out);
  parts_of(comma->getRHS(), out);
}

// The variable that a step changes, as in i++, i += 2, i = i + 2.
const VarDecl* stepped(const Expr* step) {
  step = step->IgnoreParens();
  if (const auto* unary = dyn_cast<UnaryOperator>(step))
    return unary->isIncrementDecrementOp() ? variable_of(unary->getSubExpr()) : nullptr;
  const auto* binary = dyn_cast<BinaryOperator>(step);
  return binary != nullptr && binary->isAssignmentOp() ? variable_of(binary->getLHS()) : nullptr;
}

// The only part of a step that changes a variable of the condition. Other parts must not use that
// variable. Null if there is no such part.
const Expr* counting(const Expr* condition, const std::vector<const Expr*>& parts) {
  const auto* test = dyn_cast_or_null<BinaryOperator>(
      condition == nullptr ? condition : condition->IgnoreParenImpCasts());
  if (test == nullptr || !test->isComparisonOp()) return nullptr;
  const Expr* out = nullptr;
  for (const Expr* part : parts) {
    const VarDecl* counter = stepped(part);
    if (counter == nullptr) return nullptr;
    if (!mentions(test, counter)) continue;
    if (out != nullptr) return nullptr;
    out = part;
  }
  for (const Expr* part : parts) {
    if (out != nullptr && part != out && mentions(part, stepped(out))) return nullptr;
  }
  return out;
}

// Appends the statements of a switch. If a block contains the break of the switch, as in case 2: {
// ...; break; }, appends the statements of the block.
void flattened(const Stmt* s, std::vector<const Stmt*>& out) {
  const auto* block = dyn_cast<CompoundStmt>(s);
  if (block == nullptr || !jumps<BreakStmt>(block)) {
    out.push_back(s);
    return;
  }
  for (const Stmt* child : block->body()) flattened(child, out);
}

}  // namespace

// Rewrites for (...; i < n; i++, j--) body as for (...; i < n; i++) { body j--; }. This is
// impossible if the body contains continue.
int CTranslator::for_loop(const ForStmt* f) {
  if (f->getConditionVariable() != nullptr) return unknown(f, "a declaration as a condition");
  const auto part = [&](const Stmt* p) { return p != nullptr ? statement(p) : empty(f); };
  std::vector<const Expr*> steps;
  parts_of(f->getInc(), steps);
  const Expr* counter = steps.size() > 1 && !jumps<ContinueStmt>(f->getBody())
                            ? counting(f->getCond(), steps)
                            : nullptr;
  const int init = part(f->getInit()), condition = part(f->getCond());
  const int step = part(counter != nullptr ? counter : f->getInc());
  int body = part(f->getBody());
  if (counter != nullptr) {
    std::vector<int> statements = {body};
    for (const Expr* other : steps) {
      if (other != counter) statements.push_back(expression(other));
    }
    body = make(f->getBody(), CKind::Block, std::move(statements));
  }
  return make(f, CKind::For, {init, condition, step, body});
}

// Rewrites a switch as a chain of ifs. Each group of statements extends from its labels to its
// break. If a group falls through, it also contains the statements of the next group.
int CTranslator::switch_statement(const SwitchStmt* s) {
  if (s->getConditionVariable() != nullptr || s->getInit() != nullptr)
    return unknown(s, "a declaration in the condition of a switch");
  const Expr* value = s->getCond();
  if (value->HasSideEffects(context_)) return unknown(s, "a switch on a value with side effects");
  const auto* body = dyn_cast<CompoundStmt>(s->getBody());
  if (body == nullptr) return unknown(s, "a switch without a block");
  struct Group {
    std::vector<const CaseStmt*> cases;
    bool otherwise = false;
    std::vector<const Stmt*> statements;
  };
  std::vector<Group> groups;
  size_t labels = 0;
  for (const Stmt* child : body->body()) {
    bool fresh = true;  // consecutive labels belong to the same group
    while (const auto* label = dyn_cast<SwitchCase>(child)) {
      if (fresh) groups.emplace_back();
      fresh = false;
      ++labels;
      if (const auto* one = dyn_cast<CaseStmt>(label)) groups.back().cases.push_back(one);
      groups.back().otherwise = groups.back().otherwise || isa<DefaultStmt>(label);
      child = label->getSubStmt();
    }
    if (groups.empty()) return unknown(s, "a switch with statements before its labels");
    flattened(child, groups.back().statements);
  }
  size_t all = 0;
  for (const SwitchCase* label = s->getSwitchCaseList(); label != nullptr;
       label = label->getNextSwitchCase()) {
    ++all;
  }
  if (all != labels) return unknown(s, "a switch with a label inside a nested statement");
  const auto ends = [](const Stmt* last) {
    return isa<BreakStmt>(last) || isa<ReturnStmt>(last) || isa<ContinueStmt>(last);
  };
  for (const Group& group : groups) {
    for (const Stmt* one : group.statements) {
      if (!isa<BreakStmt>(one) && jumps<BreakStmt>(one))
        return unknown(s, "a switch with a break inside a nested statement");
    }
  }
  const auto block_of = [&](size_t first) {
    std::vector<int> out;
    for (size_t g = first; g < groups.size(); ++g) {
      for (const Stmt* one : groups[g].statements) {
        if (!isa<BreakStmt>(one)) out.push_back(statement(one));
        if (ends(one)) return make(s, CKind::Block, std::move(out));
      }
    }
    return make(s, CKind::Block, std::move(out));
  };
  const auto compared = [&](const Expr* with, const char* op) {
    const int left = expression(value);
    CNode node = at(with->getExprLoc(), CKind::Binary);
    node.type = type(context_.IntTy);
    node.text = op;
    node.children = {left, expression(with)};
    return add(std::move(node));
  };
  const auto joined = [&](int left, int right, const char* op) {
    if (left < 0) return right;
    CNode node = at(value->getExprLoc(), CKind::Binary);
    node.type = type(context_.IntTy);
    node.text = op;
    node.children = {left, right};
    return add(std::move(node));
  };
  int chain = -1;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].otherwise) chain = block_of(g);
  }
  for (size_t g = groups.size(); g-- > 0;) {
    if (groups[g].otherwise) continue;
    int condition = -1;
    for (const CaseStmt* one : groups[g].cases) {
      int holds = 0;
      if (one->getRHS() == nullptr) {
        holds = compared(one->getLHS(), "==");
      } else {
        const int from = compared(one->getLHS(), ">=");
        holds = joined(from, compared(one->getRHS(), "<="), "&&");
      }
      condition = joined(condition, holds, "||");
    }
    std::vector<int> parts = {condition, block_of(g)};
    if (chain >= 0) parts.push_back(chain);
    CNode node = at(groups[g].cases.front()->getBeginLoc(), CKind::If);
    node.children = std::move(parts);
    chain = add(std::move(node));
  }
  return chain >= 0 ? chain : expression(value);
}

int CTranslator::declarations(const DeclStmt* s) {
  std::vector<int> all;
  for (const Decl* declaration : s->decls()) {
    const auto* declared = dyn_cast<VarDecl>(declaration);
    if (declared == nullptr) {
      const bool no_effect = isa<TypeDecl>(declaration) || isa<FunctionDecl>(declaration) ||
                             isa<StaticAssertDecl>(declaration) || isa<EmptyDecl>(declaration) ||
                             isa<UsingDecl>(declaration) || isa<UsingDirectiveDecl>(declaration) ||
                             isa<UsingEnumDecl>(declaration) ||
                             isa<NamespaceAliasDecl>(declaration);
      if (!no_effect)
        all.push_back(
            unknown(s, std::string("a declaration (") + declaration->getDeclKindName() + ")"));
      continue;
    }
    if (!declared->isStaticLocal() && !ends_quietly(declared->getType())) {
      all.push_back(unknown(s, "the destructor of '" + declared->getNameAsString() + "'"));
      continue;
    }
    if (declared->isStaticLocal()) {
      if (!declared->getType().isConstQualified()) {
        all.push_back(unknown(s, "a static variable in a function"));
      }
      continue;
    }
    CNode node = at(declared->getLocation(), CKind::Declare);
    node.integer = variable(declared);
    const Expr* initial = declared->getInit();
    const auto* constructed = dyn_cast_or_null<CXXConstructExpr>(initial);
    // The variable is uninitialized or empty.
    const bool plain = constructed != nullptr && constructed->getNumArgs() == 0 &&
                       (constructed->getConstructor()->isTrivial() ||
                        constructed->getConstructor()->isInStdNamespace());
    if (initial != nullptr && !plain) node.children.push_back(expression(initial));
    all.push_back(add(std::move(node)));
  }
  if (all.size() == 1) return all[0];
  CNode block = at(s->getBeginLoc(), CKind::Block);
  block.text = "declarations";  // the block opens no scope
  block.children = std::move(all);
  return add(std::move(block));
}

int CTranslator::control(const Stmt* s) {
  if (const auto* f = dyn_cast<ForStmt>(s)) return for_loop(f);
  if (const auto* w = dyn_cast<WhileStmt>(s)) {
    if (w->getConditionVariable() != nullptr) return unknown(s, "a declaration as a condition");
    const int condition = expression(w->getCond());
    const int body = statement(w->getBody());
    return make(s, CKind::While, {condition, body});
  }
  if (const auto* d = dyn_cast<DoStmt>(s)) {
    const int body = statement(d->getBody());
    const int condition = expression(d->getCond());
    return make(s, CKind::Do, {body, condition});
  }
  const auto* i = cast_if_present<IfStmt>(s);
  if (i->getConditionVariable() != nullptr || i->getInit() != nullptr) {
    return unknown(s, "a declaration in the condition of an if");
  }
  if (i->isConsteval()) return unknown(s, "an 'if consteval'");
  std::vector<int> parts = {expression(i->getCond()), statement(i->getThen())};
  if (i->getElse() != nullptr) parts.push_back(statement(i->getElse()));
  return make(s, CKind::If, std::move(parts));
}

int CTranslator::statement(const Stmt* s) {
  if (s == nullptr) return empty(s);
  if (const auto* e = dyn_cast<Expr>(s)) return expression(e);
  if (const auto* block = dyn_cast<CompoundStmt>(s)) {
    std::vector<int> children;
    for (const Stmt* child : block->body()) children.push_back(statement(child));
    return make(s, CKind::Block, std::move(children));
  }
  if (const auto* declaration = dyn_cast<DeclStmt>(s)) return declarations(declaration);
  if (isa<ForStmt>(s) || isa<WhileStmt>(s) || isa<DoStmt>(s) || isa<IfStmt>(s)) return control(s);
  if (const auto* r = dyn_cast<ReturnStmt>(s)) {
    std::vector<int> value;
    if (r->getRetValue() != nullptr) value.push_back(expression(r->getRetValue()));
    return make(s, CKind::Return, std::move(value));
  }
  if (isa<BreakStmt>(s)) return make(s, CKind::Break, {});
  if (isa<ContinueStmt>(s)) return make(s, CKind::Continue, {});
  if (isa<NullStmt>(s)) return empty(s);
  if (const auto* attributed = dyn_cast<AttributedStmt>(s)) {
    note(unfamiliar_attribute(attributed->getAttrs()));
    return statement(attributed->getSubStmt());
  }
  if (isa<GotoStmt>(s) || isa<IndirectGotoStmt>(s)) return unknown(s, "a goto");
  if (isa<LabelStmt>(s)) return unknown(s, "a label");
  if (const auto* choice = dyn_cast<SwitchStmt>(s)) return switch_statement(choice);
  if (isa<CXXForRangeStmt>(s)) return unknown(s, "a range-based for loop");
  if (isa<CXXTryStmt>(s)) return unknown(s, "a try block");
  if (isa<AsmStmt>(s)) return unknown(s, "inline assembly");
  return unknown(s, std::string("a statement (") + s->getStmtClassName() + ")");
}

}  // namespace stencil::host
