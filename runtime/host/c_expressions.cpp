// Translates expressions of the AST: operators, constants, members, calls, containers of the
// standard library.
#include "runtime/host/c_translate.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace stencil::host {

using namespace clang;

// Whether the literal is in parentheses on the line of its macro: "#define NAME (1000)".
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

// The name of the macro that expands to just this literal, possibly in parentheses, also if it is
// passed through other macros as an argument.
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

// The value of a constant expression; Unknown if it is not constant.
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
  if (isa<FunctionDecl>(declaration)) return unknown(e, "the name of a function");
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
      tree_.nodes[static_cast<size_t>(out)].type = to;
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
    if (left->HasSideEffects(context_)) return unknown(e, "an assignment to a place that changes");
    const int target = expression(left);
    int value = expression(left);
    const int operand = expression(right);
    if (left->getType()->isPointerType()) {
      const int moved = made(e, CKind::Binary, {value, operand}, op.substr(0, 1));
      tree_.nodes[static_cast<size_t>(moved)].integer = 1;
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
  tree_.nodes[static_cast<size_t>(out)].integer = field->getFieldIndex();
  return out;
}

int CTranslator::called(const CallExpr* e, const FunctionDecl* callee, std::vector<int> children,
                        unsigned skip) {
  for (unsigned i = skip; i < e->getNumArgs(); ++i) children.push_back(expression(e->getArg(i)));
  if (callee == nullptr) return unknown(e, "a call through a pointer");
  std::string name = callee->getQualifiedNameAsString();
  if (const auto known = folded_call(e, callee, children)) return *known;
  const int body = callee->isInStdNamespace() ? -1 : function(callee);
  const int out = made(e, CKind::Call, std::move(children), name);
  tree_.nodes[static_cast<size_t>(out)].integer = body;
  return out;
}

// The value of a constexpr function that calls itself. Other functions are run by the lifter, which
// keeps the names of constants.
std::optional<int> CTranslator::folded_call(const CallExpr* e, const FunctionDecl* callee,
                                            const std::vector<int>& arguments) {
  if (!callee->isConstexpr() || scalar_of(context_, e->getType()) == CScalar::None)
    return std::nullopt;
  const auto calls = [&](const Stmt* s, const auto& self) -> bool {
    if (s == nullptr) return false;
    if (const auto* inner = dyn_cast<CallExpr>(s)) {
      const FunctionDecl* called = inner->getDirectCallee();
      if (called != nullptr && called->getCanonicalDecl() == callee->getCanonicalDecl())
        return true;
    }
    const auto children = s->children();
    return std::any_of(children.begin(), children.end(),
                       [&](const Stmt* child) { return self(child, self); });
  };
  const bool names = std::any_of(arguments.begin(), arguments.end(),
                                 [&](int argument) { return named(argument); });
  Expr::EvalResult result;
  if (names || !calls(callee->getBody(), calls) || e->isValueDependent() ||
      !e->EvaluateAsRValue(result, context_) || result.HasSideEffects) {
    return std::nullopt;
  }
  return constant(e, "");
}

// A call of a function that is not in the file.
int CTranslator::library_call(const CallExpr* e, std::vector<int> children, std::string name) {
  const int out = made(e, CKind::Call, std::move(children), std::move(name));
  tree_.nodes[static_cast<size_t>(out)].integer = -1;
  return out;
}

// a(i, j), a[i, j]: nested subscripts in memory order.
int CTranslator::mdspan_element(const Expr* e, const Mdspan& of, int base,
                                llvm::ArrayRef<const Expr*> indices) {
  if (!of.unknown.empty()) return unknown(e, of.unknown);
  if (indices.size() != of.extents.size()) return unknown(e, "an element of an mdspan by an array");
  int at_type = tree_.nodes[static_cast<size_t>(base)].type;
  if (tree_.types[static_cast<size_t>(at_type)].kind == CTypeInfo::Kind::Reference)
    at_type = tree_.types[static_cast<size_t>(at_type)].of;
  for (size_t d = 0; d < indices.size(); ++d) {
    const int index = expression(indices[of.left ? indices.size() - 1 - d : d]);
    at_type = tree_.types[static_cast<size_t>(at_type)].of;
    CNode element = at(e->getExprLoc(), CKind::Subscript);
    element.type = at_type;
    element.children = {base, index};
    base = add(std::move(element));
  }
  return base;
}

int CTranslator::mdspan_member(const CXXMemberCallExpr* e, const Mdspan& of, int base) {
  const std::string name = e->getMethodDecl()->getNameAsString();
  if (!of.unknown.empty()) return unknown(e, of.unknown);
  Expr::EvalResult dimension;
  if (name == "extent" && e->getNumArgs() == 1 &&
      e->getArg(0)->EvaluateAsInt(dimension, context_)) {
    const int64_t rank = static_cast<int64_t>(of.extents.size());
    const int64_t d = dimension.Val.getInt().getExtValue();
    if (d < 0 || d >= rank) return unknown(e, "an extent that the mdspan does not have");
    const int64_t in_memory = of.left ? rank - 1 - d : d;
    const auto number = [&](int64_t value) {
      CNode node = at(e->getExprLoc(), CKind::Int);
      node.type = type(e->getType());
      node.integer = value;
      return add(std::move(node));
    };
    const int64_t fixed = of.extents[static_cast<size_t>(in_memory)];
    if (fixed >= 0) return number(fixed);
    const int first = number(in_memory), second = number(d);
    return library_call(e, {base, first, second}, "std::extent");
  }
  return unknown(e, "'" + name + "' of an mdspan");
}

// &base[0]
int CTranslator::first_element(const Expr* e, int base, QualType of) {
  CNode first = at(e->getExprLoc(), CKind::Int);
  first.type = type(context_.IntTy);
  const int zero = add(std::move(first));
  CNode element = at(e->getExprLoc(), CKind::Subscript);
  element.type = type(of);
  element.children = {base, zero};
  CNode address = at(e->getExprLoc(), CKind::Address);
  address.type = type(context_.getPointerType(of));
  address.children = {add(std::move(element))};
  return add(std::move(address));
}

// mdspan(p, n, m): a cast of p to double (*)[m].
int CTranslator::mdspan_of_pointer(const CXXConstructExpr* e, const Mdspan& of) {
  const size_t rank = of.extents.size(), given = e->getNumArgs() - 1;
  size_t open = 0;
  for (int64_t extent : of.extents) open += extent < 0 ? 1 : 0;
  if (!of.unknown.empty()) return unknown(e, of.unknown);
  bool integers = given == rank || given == open;
  for (unsigned k = 1; k < e->getNumArgs(); ++k)
    integers = integers && e->getArg(k)->getType()->isIntegerType();
  if (!e->getArg(0)->getType()->isPointerType() || !integers)
    return unknown(e, "an mdspan that is not made from a pointer and integers");
  const int pointer = expression(e->getArg(0));
  int row = type(of.element);
  unsigned next = e->getNumArgs();  // index of the argument for the innermost dimension in memory
  unsigned first = 1;
  for (size_t d = rank; d-- > 0;) {
    CTypeInfo info;
    info.kind = CTypeInfo::Kind::Array;
    info.extent = of.extents[d];
    info.of = row;
    const bool said = given == rank || info.extent < 0;
    const Expr* size = !said ? nullptr : e->getArg(of.left ? first++ : --next);
    if (d == 0) break;
    if (info.extent < 0) info.size = expression(size);
    row = static_cast<int>(tree_.types.size());
    tree_.types.push_back(std::move(info));
  }
  CTypeInfo rows;
  rows.kind = CTypeInfo::Kind::Pointer;
  rows.of = row;
  rows.text = tree_.types[static_cast<size_t>(type(e->getType()))].text;
  CNode cast = at(e->getExprLoc(), CKind::Cast);
  cast.type = static_cast<int>(tree_.types.size());
  tree_.types.push_back(std::move(rows));
  cast.children = {pointer};
  return add(std::move(cast));
}

// The members with the values that their declarations give them.
int CTranslator::by_default(const CXXConstructExpr* e) {
  const auto* record = e->getType()->getAsCXXRecordDecl();
  if (record == nullptr || record->getNumBases() > 0)
    return unknown(e, "the constructor of a class");
  std::vector<int> members;
  for (const FieldDecl* field : record->fields()) {
    const Expr* value = field->getInClassInitializer();
    const int member = value != nullptr ? expression(value)
                                        : make(e, CKind::Unknown, {}, "a member without a value");
    // the constructor of a member may do anything
    const bool constructed = value == nullptr && field->getType()->isRecordType();
    const auto* of = constructed ? field->getType()->getAsCXXRecordDecl() : nullptr;
    if (of != nullptr && !of->hasTrivialDefaultConstructor() && !of->isInStdNamespace())
      return unknown(e, "the constructor of a class");
    members.push_back(member);
  }
  return made(e, CKind::List, std::move(members));
}

// Copies, and views of memory that is known.
int CTranslator::constructed(const CXXConstructExpr* e) {
  const CXXConstructorDecl* constructor = e->getConstructor();
  const auto* record = e->getType()->getAsRecordDecl();
  const bool copy = e->getNumArgs() >= 1 && constructor->isCopyOrMoveConstructor();
  const bool view = record != nullptr && (container_of(*record) || mdspan_of(*record));
  if (copy && !view && !constructor->isTrivial())
    return unknown(e, "the copy constructor of '" + e->getType().getAsString() + "'");
  const auto of = record != nullptr ? container_of(*record) : std::nullopt;
  if (copy && of && !of->view && constructor->isCopyConstructor())
    return unknown(e, "a copy of a container");
  if (copy) return expression(e->getArg(0));
  if (record != nullptr && e->getNumArgs() == 0 && !constructor->isUserProvided() && !view)
    return by_default(e);
  if (record == nullptr || e->getNumArgs() == 0) return unknown(e, "the constructor of a class");
  if (const auto mdspan = mdspan_of(*record)) return mdspan_of_pointer(e, *mdspan);
  const auto container = container_of(*record);
  if (!container || !container->view) return unknown(e, "the constructor of a class");
  const Expr* from = e->getArg(0)->IgnoreParenImpCasts();
  if (e->getArg(0)->getType()->isPointerType()) return expression(e->getArg(0));
  const auto* other = from->getType()->getAsRecordDecl();
  if (other != nullptr && container_of(*other))
    return first_element(e, expression(from), container_of(*other)->element);
  return unknown(e, "a span that is not made from a pointer or a container");
}

int CTranslator::operator_call(const CXXOperatorCallExpr* e) {
  const OverloadedOperatorKind op = e->getOperator();
  const QualType object = e->getArg(0)->getType();
  const auto* record = object->getAsRecordDecl();
  const bool standard = record != nullptr && record->isInStdNamespace();
  if (const auto mdspan = record != nullptr ? mdspan_of(*record) : std::nullopt) {
    std::vector<const Expr*> indices;
    for (unsigned i = 1; i < e->getNumArgs(); ++i) indices.push_back(e->getArg(i));
    if (op == OO_Call || op == OO_Subscript) {
      const int base = expression(e->getArg(0));
      return mdspan_element(e, *mdspan, base, indices);
    }
  }
  const auto view = [](const RecordDecl* of) {
    const auto container = of != nullptr ? container_of(*of) : std::nullopt;
    return of != nullptr && (mdspan_of(*of) || (container && container->view));
  };
  if (op == OO_Equal && view(record) && view(e->getArg(1)->getType()->getAsRecordDecl())) {
    const int to = expression(e->getArg(0)), from = expression(e->getArg(1));
    return made(e, CKind::Assign, {to, from});
  }
  if (op == OO_Subscript && record != nullptr && container_of(*record)) {
    const int base = expression(e->getArg(0)), index = expression(e->getArg(1));
    return made(e, CKind::Subscript, {base, index});
  }
  const auto* method = dyn_cast_or_null<CXXMethodDecl>(e->getDirectCallee());
  if (method != nullptr && method->isVirtual()) return unknown(e, "a call of a virtual function");
  if (op == OO_Equal && !standard && method != nullptr && method->isTrivial()) {
    const int to = expression(e->getArg(0)), from = expression(e->getArg(1));
    return made(e, CKind::Assign, {to, from});
  }
  if (!standard && method != nullptr && !method->isStatic()) {
    CNode address = at(e->getExprLoc(), CKind::Address);
    address.type = type(method->getThisType());
    address.children = {expression(e->getArg(0))};
    return called(e, method, {add(std::move(address))}, 1);
  }
  if (!standard && method == nullptr && e->getDirectCallee() != nullptr) {
    return called(e, e->getDirectCallee(), {}, 0);
  }
  return unknown(e, "an operator of a class");
}

int CTranslator::member_call(const CXXMemberCallExpr* e) {
  const CXXMethodDecl* method = e->getMethodDecl();
  const Expr* object = e->getImplicitObjectArgument();
  if (method == nullptr || object == nullptr) return unknown(e, "a call through a pointer");
  const bool pointer = object->getType()->isPointerType();
  const QualType of = pointer ? object->getType()->getPointeeType() : object->getType();
  const auto* record = of->getAsRecordDecl();
  int base = expression(object);
  if (const auto mdspan = record != nullptr ? mdspan_of(*record) : std::nullopt) {
    if (pointer) return unknown(e, "a member of an mdspan through a pointer");
    return mdspan_member(e, *mdspan, base);
  }
  if (record != nullptr && container_of(*record)) {
    const std::string name = method->getNameAsString();
    if (pointer) return unknown(e, "a member of a container through a pointer");
    if (name == "at" && e->getNumArgs() == 1) {
      const int index = expression(e->getArg(0));
      return made(e, CKind::Subscript, {base, index});
    }
    if (name == "data") return first_element(e, base, container_of(*record)->element);
    if (name == "size") return library_call(e, {base}, "std::size");
    if (name == "swap" && e->getNumArgs() == 1) {
      const int other = expression(e->getArg(0));
      return library_call(e, {base, other}, "std::swap");
    }
    return unknown(e, "'" + name + "' of a container");
  }
  if (method->isVirtual()) return unknown(e, "a call of a virtual function");
  if (!pointer) {
    CNode address = at(e->getExprLoc(), CKind::Address);
    address.type = type(context_.getPointerType(of));
    address.children = {base};
    base = add(std::move(address));
  }
  return called(e, method, {base}, 0);
}

int CTranslator::call(const CallExpr* e) {
  if (const auto* of_operator = dyn_cast<CXXOperatorCallExpr>(e)) return operator_call(of_operator);
  if (const auto* of_member = dyn_cast<CXXMemberCallExpr>(e)) return member_call(of_member);
  return called(e, e->getDirectCallee(), {}, 0);
}

int CTranslator::list(const InitListExpr* e) {
  const InitListExpr* semantic = e->isSemanticForm() ? e : e->getSemanticForm();
  if (semantic == nullptr) semantic = e;
  std::vector<int> children;
  for (const Expr* child : semantic->inits()) {
    children.push_back(child != nullptr ? expression(child) : unknown(e, "a gap in a list"));
  }
  return made(e, CKind::List, std::move(children));
}

// Why an expression of a kind that is known is not understood all the same.
std::optional<std::string> CTranslator::not_understood(const Expr* e) const {
  const QualType of = e->getType();
  const bool number =
      of->isArithmeticType() || of->isAnyComplexType() || of->isVectorType() || of->isAtomicType();
  if (number && scalar_of(context_, of) == CScalar::None)
    return "a value of the type '" + of.getUnqualifiedType().getAsString() + "'";
  if (e->isGLValue() && of.isVolatileQualified()) return "a volatile object";
  if (of.hasAddressSpace()) return "an object in an address space of its own";
  if (std::string rules = other_arithmetic(*e, context_.getLangOpts()); !rules.empty())
    return rules;
  return std::nullopt;
}

int CTranslator::expression(const Expr* e) {
  e = e->IgnoreParens();
  if (const auto why = not_understood(e)) return unknown(e, *why);
  return translated(e);
}

// Each kind of expression by name: any other is Unknown.
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
  if (isa<StmtExpr>(e)) return unknown(e, "a statement within an expression");
  if (isa<LambdaExpr>(e)) return unknown(e, "a lambda");
  if (isa<StringLiteral>(e)) return unknown(e, "a string");
  return unknown(e, std::string("an expression (") + e->getStmtClassName() + ")");
}

}  // namespace stencil::host
