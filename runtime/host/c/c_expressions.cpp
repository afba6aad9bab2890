// Translates expressions of the AST to nodes: operators, constants, members.
#include "runtime/host/c/c_translate.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace stencil::host {

using namespace clang;

// Whether the macro definition contains the literal in parentheses: "#define NAME (1000)".
static bool in_parentheses(const std::string& name, const SourceManager& sources,
                           SourceLocation place) {
  bool invalid = false;
  const char* literal = sources.getCharacterData(place, &invalid);
  if (invalid) return false;
  const auto [file, offset] = sources.getDecomposedLoc(place);
  const char* begin = literal - offset;
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  int open = 0;
  const char* at = literal;
  for (; at > begin && (space(at[-1]) || at[-1] == '('); --at) open += at[-1] == '(' ? 1 : 0;
  const auto size = static_cast<std::ptrdiff_t>(name.size());
  if (open == 0 || at - begin < size || std::string(at - size, at) != name) return false;
  const char* end = literal;
  while (std::isalnum(static_cast<unsigned char>(*end)) != 0) ++end;
  for (; space(*end) || *end == ')'; ++end) open -= *end == ')' ? 1 : 0;
  return open == 0 && (*end == '\n' || *end == '\r' || *end == '/' || *end == '\0');
}

// The name of the macro that expands to exactly this literal, possibly in parentheses. The literal
// may have passed through other macros as an argument.
std::string CTranslator::macro_of(const Expr* e) {
  SourceLocation place = e->getBeginLoc();
  if (!place.isMacroID() || e->getEndLoc() != place) return "";
  const SourceManager& sources = context_.getSourceManager();
  while (place.isMacroID() && sources.isMacroArgExpansion(place)) {
    place = sources.getImmediateSpellingLoc(place);
  }
  if (!place.isMacroID()) return "";
  const LangOptions& options = context_.getLangOpts();
  const CharSourceRange range = sources.getImmediateExpansionRange(place);
  if (range.getBegin() != range.getEnd()) return "";
  const std::string name = Lexer::getImmediateMacroName(place, sources, options).str();
  // A macro of the compiler or system is not a number that the file defines.
  const SourceLocation body = sources.getSpellingLoc(place);
  if (sources.isInSystemHeader(body) || sources.isWrittenInBuiltinFile(body)) return "";
  const bool alone = Lexer::isAtStartOfMacroExpansion(place, sources, options) &&
                     Lexer::isAtEndOfMacroExpansion(place, sources, options);
  return alone || in_parentheses(name, sources, sources.getSpellingLoc(place)) ? name : "";
}

std::optional<int> CTranslator::literal(const Expr* e) {
  if (const auto* number = dyn_cast<IntegerLiteral>(e)) {
    CNode node = at(e->getExprLoc(), CKind::Int);
    node.type = type(e->getType());
    node.integer = static_cast<int64_t>(number->getValue().getLimitedValue());
    node.text = macro_of(e);
    return add(std::move(node));
  }
  if (const auto* number = dyn_cast<FloatingLiteral>(e)) {
    CNode node = at(e->getExprLoc(), CKind::Real);
    node.type = type(e->getType());
    llvm::APFloat value = number->getValue();
    bool lossy = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    if (lossy) return unknown(e, "a literal with more precision than double");
    node.real = value.convertToDouble();
    node.text = macro_of(e);
    return add(std::move(node));
  }
  if (const auto* boolean = dyn_cast<CXXBoolLiteralExpr>(e)) {
    CNode node = at(e->getExprLoc(), CKind::Int);
    node.type = type(e->getType());
    node.integer = boolean->getValue() ? 1 : 0;
    return add(std::move(node));
  }
  if (isa<CharacterLiteral>(e) || isa<UnaryExprOrTypeTraitExpr>(e) || isa<ConstantExpr>(e) ||
      isa<SubstNonTypeTemplateParmExpr>(e)) {
    if (e->isValueDependent()) return std::nullopt;
    Expr::EvalResult result;
    if (e->EvaluateAsInt(result, context_)) return constant(e, "");
  }
  return std::nullopt;
}

// The value of a constant expression. Unknown if the expression is not constant.
int CTranslator::constant(const Expr* e, std::string text) {
  Expr::EvalResult result;
  if (!e->isValueDependent() && e->EvaluateAsRValue(result, context_) && !result.HasSideEffects) {
    CNode node = at(e->getExprLoc(), CKind::Int);
    node.type = type(e->getType());
    node.text = std::move(text);
    if (result.Val.isInt()) {
      node.integer = result.Val.getInt().getExtValue();
      return add(std::move(node));
    }
    if (result.Val.isFloat()) {
      llvm::APFloat value = result.Val.getFloat();
      bool lossy = false;
      value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
      node.kind = CKind::Real;
      node.real = value.convertToDouble();
      return lossy ? unknown(e, "a constant with more precision than double")
                   : add(std::move(node));
    }
  }
  return unknown(e, "an expression that is not constant");
}

int CTranslator::reference(const DeclRefExpr* e) {
  const ValueDecl* declaration = e->getDecl();
  if (isa<EnumConstantDecl>(declaration)) return constant(e, "");
  const auto* declared = dyn_cast<VarDecl>(declaration);
  if (isa<FunctionDecl>(declaration)) return unknown(e, "a function used as a value");
  if (declared == nullptr)
    return unknown(e, std::string("a name (") + declaration->getDeclKindName() + ")");
  const bool scalar = scalar_of(context_, declared->getType()) != CScalar::None;
  const bool fixed = declared->getType().isConstQualified() &&
                     !declared->getType().isVolatileQualified() && declared->hasGlobalStorage();
  if (scalar && fixed && declared->getAnyInitializer() != nullptr) {
    Expr::EvalResult result;
    if (declared->getAnyInitializer()->EvaluateAsRValue(result, context_)) {
      const VarDecl* where = nullptr;
      const Expr* value = declared->getAnyInitializer(where);
      return constant(value, declared->getNameAsString());
    }
  }
  CNode node = at(e->getExprLoc(), CKind::Variable);
  node.type = type(e->getType());
  node.integer = variable(declared);
  return add(std::move(node));
}

int CTranslator::cast(const CastExpr* e) {
  const int from = expression(e->getSubExpr());
  switch (e->getCastKind()) {
    case CK_LValueToRValue:
    case CK_NoOp:
    case CK_ArrayToPointerDecay:
    case CK_FunctionToPointerDecay:
    case CK_ConstructorConversion:
    case CK_UserDefinedConversion:
    case CK_UncheckedDerivedToBase:
      return from;
    case CK_IntegralCast:
    case CK_FloatingCast:
    case CK_IntegralToFloating:
    case CK_FloatingToIntegral:
    case CK_IntegralToBoolean:
    case CK_FloatingToBoolean:
    case CK_BooleanToSignedIntegral:
    case CK_BitCast:
    case CK_ToVoid: {
      const int out = made(e, CKind::Cast, {from});
      const auto* written = dyn_cast<ExplicitCastExpr>(e);
      if (written == nullptr || written->getTypeInfoAsWritten() == nullptr) return out;
      const int to = with_lengths(e->getType(), written->getTypeInfoAsWritten()->getTypeLoc());
      tree_.nodes[out].type = to;
      return out;
    }
    default:
      return unknown(e, std::string("a conversion (") + e->getCastKindName() + ")");
  }
}

int CTranslator::unary(const UnaryOperator* e) {
  const int operand = expression(e->getSubExpr());
  switch (e->getOpcode()) {
    case UO_Plus:
      return operand;
    case UO_Minus:
    case UO_Not:
    case UO_LNot:
      return made(e, CKind::Unary, {operand}, UnaryOperator::getOpcodeStr(e->getOpcode()).str());
    case UO_Deref:
      return made(e, CKind::Deref, {operand});
    case UO_AddrOf:
      return made(e, CKind::Address, {operand});
    case UO_PreInc:
      return made(e, CKind::Step, {operand}, "++x");
    case UO_PreDec:
      return made(e, CKind::Step, {operand}, "--x");
    case UO_PostInc:
      return made(e, CKind::Step, {operand}, "x++");
    case UO_PostDec:
      return made(e, CKind::Step, {operand}, "x--");
    case UO_Extension:
      return operand;
    default:
      return unknown(e, "an operator");
  }
}

int CTranslator::binary(const BinaryOperator* e) {
  const Expr* left = e->getLHS();
  const Expr* right = e->getRHS();
  if (e->isPtrMemOp()) return unknown(e, "a pointer to a member");
  if (e->getOpcode() == BO_Cmp) return unknown(e, "the operator '<=>'");
  const std::string op = BinaryOperator::getOpcodeStr(e->getOpcode()).str();
  if (e->getOpcode() == BO_Comma) {
    const int first = expression(left), second = expression(right);
    return made(e, CKind::Comma, {first, second});
  }
  if (const auto* compound = dyn_cast<CompoundAssignOperator>(e)) {
    if (left->HasSideEffects(context_))
      return unknown(e, "an assignment to an lvalue with side effects");
    const int target = expression(left);
    int value = expression(left);
    const int operand = expression(right);
    if (left->getType()->isPointerType()) {
      const int moved = made(e, CKind::Binary, {value, operand}, op.substr(0, 1));
      tree_.nodes[moved].integer = 1;
      return made(e, CKind::Assign, {target, moved});
    }
    const auto converted = [&](int node, QualType to) {
      CNode made_cast = at(e->getExprLoc(), CKind::Cast);
      made_cast.type = type(to);
      made_cast.children = {node};
      return add(std::move(made_cast));
    };
    value = converted(value, compound->getComputationLHSType());
    CNode computed = at(e->getExprLoc(), CKind::Binary);
    computed.type = type(compound->getComputationResultType());
    computed.text = op.substr(0, op.size() - 1);
    computed.children = {value, operand};
    computed.integer = 1;
    const int result = converted(add(std::move(computed)), left->getType());
    return made(e, CKind::Assign, {target, result});
  }
  const int first = expression(left), second = expression(right);
  if (e->getOpcode() == BO_Assign) return made(e, CKind::Assign, {first, second});
  return made(e, CKind::Binary, {first, second}, op);
}

int CTranslator::member(const MemberExpr* e) {
  const auto* field = dyn_cast<FieldDecl>(e->getMemberDecl());
  if (field == nullptr) {
    if (const auto* shared = dyn_cast<VarDecl>(e->getMemberDecl())) {
      CNode node = at(e->getExprLoc(), CKind::Variable);
      node.type = type(e->getType());
      if (shared->getAnyInitializer() != nullptr &&
          (shared->isConstexpr() || shared->getType().isConstQualified())) {
        return constant(shared->getAnyInitializer(), shared->getNameAsString());
      }
      node.integer = variable(shared);
      return add(std::move(node));
    }
    return unknown(e, "a member that is not a variable");
  }
  if (field->isBitField()) return unknown(e, "a bit-field");
  if (field->getParent()->isUnion()) return unknown(e, "a member of a union");
  int base = expression(e->getBase());
  if (e->isArrow()) {
    CNode node = at(e->getExprLoc(), CKind::Deref);
    node.type = type(e->getBase()->getType()->getPointeeType());
    node.children = {base};
    base = add(std::move(node));
  }
  const int out = made(e, CKind::Member, {base}, field->getNameAsString());
  tree_.nodes[out].integer = field->getFieldIndex();
  return out;
}

int CTranslator::list(const InitListExpr* e) {
  const InitListExpr* semantic = e->isSemanticForm() ? e : e->getSemanticForm();
  if (semantic == nullptr) semantic = e;
  std::vector<int> children;
  for (const Expr* child : semantic->inits()) {
    children.push_back(child != nullptr ? expression(child)
                                        : unknown(e, "an initializer list with a gap"));
  }
  return made(e, CKind::List, std::move(children));
}

// The reason why this expression is refused although its kind of node is supported.
std::optional<std::string> CTranslator::not_understood(const Expr* e) const {
  const QualType of = e->getType();
  const bool number =
      of->isArithmeticType() || of->isAnyComplexType() || of->isVectorType() || of->isAtomicType();
  if (number && scalar_of(context_, of) == CScalar::None)
    return "a value of the type '" + of.getUnqualifiedType().getAsString() + "'";
  if (e->isGLValue() && of.isVolatileQualified()) return "a volatile object";
  if (of.hasAddressSpace()) return "an object in a separate address space";
  if (std::string rules = other_arithmetic(*e, context_.getLangOpts()); !rules.empty())
    return rules;
  return std::nullopt;
}

int CTranslator::expression(const Expr* e) {
  e = e->IgnoreParens();
  if (const auto why = not_understood(e)) return unknown(e, *why);
  return translated(e);
}

// Translates the supported kinds of expressions. Any other expression becomes Unknown.
int CTranslator::translated(const Expr* e) {
  if (const auto found = literal(e)) return *found;
  if (const auto* r = dyn_cast<DeclRefExpr>(e)) return reference(r);
  if (const auto* c = dyn_cast<CastExpr>(e)) return cast(c);
  if (const auto* u = dyn_cast<UnaryOperator>(e)) return unary(u);
  if (const auto* b = dyn_cast<BinaryOperator>(e)) return binary(b);
  if (const auto* s = dyn_cast<ArraySubscriptExpr>(e)) {
    const int base = expression(s->getBase()), index = expression(s->getIdx());
    return made(e, CKind::Subscript, {base, index});
  }
  if (const auto* c = dyn_cast<ConditionalOperator>(e)) {
    const int condition = expression(c->getCond());
    const int yes = expression(c->getTrueExpr()), no = expression(c->getFalseExpr());
    return made(e, CKind::Choice, {condition, yes, no});
  }
  if (const auto* m = dyn_cast<MemberExpr>(e)) return member(m);
  if (const auto* c = dyn_cast<CallExpr>(e)) return call(c);
  if (const auto* l = dyn_cast<InitListExpr>(e)) return list(l);
  if (isa<ImplicitValueInitExpr>(e)) {
    const CScalar of = scalar_of(context_, e->getType());
    if (of == CScalar::None) return made(e, CKind::List, {});
    return made(e, lifter::is_floating(of) ? CKind::Real : CKind::Int, {});
  }
  if (isa<CXXThisExpr>(e) && !this_.empty()) {
    CNode node = at(e->getExprLoc(), CKind::Variable);
    node.type = type(e->getType());
    node.integer = this_.back();
    return add(std::move(node));
  }
  if (const auto* t = dyn_cast<MaterializeTemporaryExpr>(e)) return expression(t->getSubExpr());
  if (const auto* t = dyn_cast<ExprWithCleanups>(e)) return expression(t->getSubExpr());
  if (const auto* t = dyn_cast<CXXBindTemporaryExpr>(e)) {
    if (!ends_quietly(t->getType()))
      return unknown(e, "the destructor of '" + t->getType().getAsString() + "'");
    return expression(t->getSubExpr());
  }
  if (const auto* t = dyn_cast<CXXDefaultArgExpr>(e)) return expression(t->getExpr());
  if (const auto* t = dyn_cast<CXXDefaultInitExpr>(e)) return expression(t->getExpr());
  if (const auto* t = dyn_cast<SubstNonTypeTemplateParmExpr>(e)) {
    return expression(t->getReplacement());
  }
  if (const auto* c = dyn_cast<CXXConstructExpr>(e)) return constructed(c);
  if (isa<StmtExpr>(e)) return unknown(e, "a statement expression, ({ ... })");
  if (isa<LambdaExpr>(e)) return unknown(e, "a lambda");
  if (isa<StringLiteral>(e)) return unknown(e, "a string");
  return unknown(e, std::string("an expression (") + e->getStmtClassName() + ")");
}

}  // namespace stencil::host
