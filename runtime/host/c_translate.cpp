// Clang has done the hard part: names, overloads, templates, conversions, constants. What is left
// is to say it in the few kinds of nodes that the lifter knows (compiler/lift/c_tree.h). Statements
// that it has no node for become Unknown: whether they matter is decided where the computation is
// known.
//
// Constants that are not written as literals (sizeof, enumerators, constexpr and const variables)
// are computed here. A literal that a macro stands for keeps the name of the macro.
#include "runtime/host/c_translate.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Lex/Lexer.h>

namespace stencil::host {

using namespace clang;
using lifter::CFunction;
using lifter::CKind;
using lifter::CNode;
using lifter::CScalar;
using lifter::CTypeInfo;
using lifter::CVariable;

namespace {

CScalar scalar_of(const ASTContext& context, QualType type) {
  if (const auto* as_enum = type->getAs<EnumType>()) {
    type = as_enum->getDecl()->getIntegerType();
    if (type.isNull()) return CScalar::None;
  }
  const auto* builtin = type->getAs<BuiltinType>();
  if (builtin == nullptr) return CScalar::None;
  if (builtin->getKind() == BuiltinType::Float) return CScalar::F32;
  if (builtin->getKind() == BuiltinType::Double) return CScalar::F64;
  if (builtin->getKind() == BuiltinType::Bool) return CScalar::Bool;
  if (!builtin->isInteger()) return CScalar::None;
  const bool sign = builtin->isSignedInteger();
  switch (context.getTypeSize(builtin)) {
    case 8:
      return sign ? CScalar::I8 : CScalar::U8;
    case 16:
      return sign ? CScalar::I16 : CScalar::U16;
    case 32:
      return sign ? CScalar::I32 : CScalar::U32;
    case 64:
      return sign ? CScalar::I64 : CScalar::U64;
    default:
      return CScalar::None;
  }
}

// std::vector<T>, std::span<T>, ... : the element; mdspan too.
struct Container {
  QualType element;
  int64_t extent = -1;
};
std::optional<Container> container_of(const RecordDecl& record) {
  const auto* special = dyn_cast<ClassTemplateSpecializationDecl>(&record);
  if (special == nullptr || !record.isInStdNamespace()) return std::nullopt;
  const StringRef name = record.getName();
  if (name != "vector" && name != "array" && name != "span" && name != "valarray") {
    return std::nullopt;
  }
  const TemplateArgumentList& arguments = special->getTemplateArgs();
  if (arguments.size() == 0 || arguments[0].getKind() != TemplateArgument::Type) {
    return std::nullopt;
  }
  Container out{arguments[0].getAsType()};
  if (name == "vector" && out.element->isBooleanType()) return std::nullopt;
  if (name == "array" && arguments.size() > 1 &&
      arguments[1].getKind() == TemplateArgument::Integral) {
    out.extent = arguments[1].getAsIntegral().getExtValue();
  }
  return out;
}

}  // namespace

int CTranslator::add(CNode node) {
  tree_.nodes.push_back(std::move(node));
  return static_cast<int>(tree_.nodes.size()) - 1;
}

CNode CTranslator::at(SourceLocation place, CKind kind) {
  const SourceManager& sources = context_.getSourceManager();
  CNode node;
  node.kind = kind;
  const PresumedLoc where = sources.getPresumedLoc(sources.getExpansionLoc(place), false);
  if (where.isInvalid()) return node;
  node.line = static_cast<int>(where.getLine());
  node.column = static_cast<int>(where.getColumn());
  const std::string name = where.getFilename();
  for (size_t i = 0; i < tree_.files.size(); ++i) {
    if (tree_.files[i] == name) node.file = static_cast<int>(i);
  }
  if (tree_.files.empty() || tree_.files[static_cast<size_t>(node.file)] != name) {
    node.file = static_cast<int>(tree_.files.size());
    tree_.files.push_back(name);
  }
  return node;
}

int CTranslator::make(const Stmt* s, CKind kind, std::vector<int> children, std::string text) {
  CNode node = at(s != nullptr ? s->getBeginLoc() : SourceLocation(), kind);
  node.children = std::move(children);
  node.text = std::move(text);
  return add(std::move(node));
}

int CTranslator::made(const Expr* e, CKind kind, std::vector<int> children, std::string text) {
  CNode node = at(e->getExprLoc(), kind);
  node.type = type(e->getType());
  node.children = std::move(children);
  node.text = std::move(text);
  return add(std::move(node));
}

int CTranslator::unknown(const Stmt* s, const std::string& what) {
  const int node = make(s, CKind::Unknown, {}, what);
  if (const auto* e = dyn_cast_or_null<Expr>(s)) {
    const int of = type(e->getType());
    tree_.nodes[static_cast<size_t>(node)].type = of;
  }
  return node;
}

// ---- types

CTypeInfo CTranslator::describe_record(QualType original, const RecordDecl& record) {
  CTypeInfo out;
  if (const auto container = container_of(record)) {
    out.kind = container->extent >= 0 ? CTypeInfo::Kind::Array : CTypeInfo::Kind::Sequence;
    out.extent = container->extent;
    out.of = type(container->element);
    return out;
  }
  const RecordDecl* definition = record.getDefinition();
  if (definition == nullptr || definition->isUnion()) return out;
  if (const auto* with_bases = dyn_cast<CXXRecordDecl>(definition)) {
    if (with_bases->getNumBases() > 0) return out;
  }
  out.kind = CTypeInfo::Kind::Struct;
  for (const FieldDecl* field : definition->fields()) {
    out.members.push_back(field->getNameAsString());
    out.member_types.push_back(type(field->getType()));
  }
  (void)original;
  return out;
}

CTypeInfo CTranslator::describe(QualType t) {
  CTypeInfo out;
  if (t->isVoidType()) {
    out.kind = CTypeInfo::Kind::Void;
  } else if (const CScalar scalar = scalar_of(context_, t); scalar != CScalar::None) {
    out.kind = CTypeInfo::Kind::Scalar;
    out.scalar = scalar;
  } else if (t->isPointerType()) {
    out.kind = CTypeInfo::Kind::Pointer;
    out.of = type(t->getPointeeType());
  } else if (t->isReferenceType()) {
    out.kind = CTypeInfo::Kind::Reference;
    out.of = type(t->getPointeeType());
  } else if (const ArrayType* array = context_.getAsArrayType(t)) {
    out.kind = CTypeInfo::Kind::Array;
    out.of = type(array->getElementType());
    if (const auto* constant = dyn_cast<ConstantArrayType>(array)) {
      out.extent = static_cast<int64_t>(constant->getSize().getZExtValue());
    }
    if (const auto* variable = dyn_cast<VariableArrayType>(array)) {
      if (variable->getSizeExpr() != nullptr) out.size = expression(variable->getSizeExpr());
    }
  } else if (const auto* record = t->getAs<RecordType>()) {
    return describe_record(t, *record->getDecl());
  }
  return out;
}

// Types that contain themselves by pointers end because a type is entered before it is described.
int CTranslator::type(QualType t) {
  if (t.isNull()) return -1;
  const QualType canonical = context_.getCanonicalType(t);
  const void* key = canonical.getAsOpaquePtr();
  if (const auto found = types_.find(key); found != types_.end()) return found->second;
  const int index = static_cast<int>(tree_.types.size());
  tree_.types.emplace_back();
  types_[key] = index;
  CTypeInfo info = describe(canonical);
  info.constant = canonical.isConstQualified();
  info.restricted = canonical.isRestrictQualified();
  PrintingPolicy policy(context_.getLangOpts());
  policy.SuppressUnwrittenScope = true;
  info.text = t.getAsString(policy);
  tree_.types[static_cast<size_t>(index)] = std::move(info);
  return index;
}

// ---- declarations

int CTranslator::variable(const VarDecl* declaration) {
  declaration = declaration->getCanonicalDecl();
  if (const auto found = variables_.find(declaration); found != variables_.end()) {
    return found->second;
  }
  const int index = static_cast<int>(tree_.variables.size());
  tree_.variables.emplace_back();
  variables_[declaration] = index;
  CVariable made;
  made.name = declaration->getNameAsString();
  QualType of = declaration->getType();
  if (const auto* parameter = dyn_cast<ParmVarDecl>(declaration)) {
    made.storage = CVariable::Storage::Parameter;
    // double A[n][m]: with the length that the adjusted type has lost
    if (parameter->getOriginalType()->isArrayType()) of = parameter->getOriginalType();
  } else if (declaration->hasGlobalStorage()) {
    made.storage = CVariable::Storage::Global;
  }
  made.type = type(of);
  made.line = at(declaration->getLocation(), CKind::Empty).line;
  name_lengths(declaration);
  const VarDecl* with_value = nullptr;
  const Expr* initial = declaration->getAnyInitializer(with_value);
  if (made.storage == CVariable::Storage::Global && initial != nullptr &&
      context_.getBaseElementType(declaration->getType()).isConstQualified()) {
    made.initial = expression(initial);
  }
  tree_.variables[static_cast<size_t>(index)] = std::move(made);
  return index;
}

// Lengths of arrays as they are written, for the macros in them: types have numbers alone.
void CTranslator::name_lengths(const VarDecl* declaration) {
  if (declaration->getTypeSourceInfo() == nullptr) return;
  TypeLoc at = declaration->getTypeSourceInfo()->getTypeLoc();
  while (const auto array = at.getAsAdjusted<ArrayTypeLoc>()) {
    const Expr* size = array.getSizeExpr();
    if (size != nullptr && !size->isInstantiationDependent()) (void)expression(size);
    at = array.getElementLoc();
  }
}

int CTranslator::this_variable(QualType of) {
  CVariable made;
  made.name = "this";
  made.type = type(of);
  made.storage = CVariable::Storage::Parameter;
  tree_.variables.push_back(std::move(made));
  return static_cast<int>(tree_.variables.size()) - 1;
}

// Bodies are translated later, one after the other: calls may be deep.
int CTranslator::function(const FunctionDecl* declaration) {
  const FunctionDecl* definition = nullptr;
  if (!declaration->hasBody(definition)) return -1;
  if (const auto found = functions_.find(definition); found != functions_.end()) {
    return found->second;
  }
  const int index = static_cast<int>(tree_.functions.size());
  tree_.functions.emplace_back();
  functions_[definition] = index;
  CFunction made;
  made.name = definition->getNameAsString();
  made.result = type(definition->getReturnType());
  made.line = at(definition->getLocation(), CKind::Empty).line;
  const auto* method = dyn_cast<CXXMethodDecl>(definition);
  made.member = method != nullptr && !method->isStatic();
  if (made.member) made.parameters.push_back(this_variable(method->getThisType()));
  for (const ParmVarDecl* parameter : definition->parameters()) {
    made.parameters.push_back(variable(parameter));
  }
  made.body = empty(nullptr);
  tree_.functions[static_cast<size_t>(index)] = std::move(made);
  pending_.push_back(definition);
  return index;
}

namespace {

// Variables that statements use and do not declare, in the order of their use.
struct FreeVariables {
  std::vector<const VarDecl*> used;
  std::set<const Decl*> seen, declared;

  void visit(const Stmt* s, int depth = 0) {
    if (s == nullptr || depth > 2000) return;
    if (const auto* declaration = dyn_cast<DeclStmt>(s)) {
      for (const Decl* d : declaration->decls()) declared.insert(d);
    }
    if (const auto* reference = dyn_cast<DeclRefExpr>(s)) {
      const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
      if (variable != nullptr && !variable->hasGlobalStorage() && seen.insert(variable).second) {
        visit_type(variable->getType(), depth);
        used.push_back(variable);
      }
    }
    for (const Stmt* child : s->children()) visit(child, depth + 1);
  }
  // double (*a)[n] uses n.
  void visit_type(QualType type, int depth) {
    while (!type.isNull()) {
      if (const auto* array = dyn_cast<VariableArrayType>(type.getCanonicalType().getTypePtr())) {
        visit(array->getSizeExpr(), depth + 1);
        type = array->getElementType();
      } else if (type->isPointerType()) {
        type = type->getPointeeType();
      } else if (const auto* array = type->getAsArrayTypeUnsafe()) {
        type = array->getElementType();
      } else {
        return;
      }
    }
  }
};

}  // namespace

void CTranslator::parameters_of_region(const CRegion& region, CFunction& made) {
  FreeVariables free;
  for (const Stmt* s : region.statements) free.visit(s);
  for (const VarDecl* used : free.used) {
    if (free.declared.count(used) == 0) made.parameters.push_back(variable(used));
  }
}

lifter::CTree CTranslator::translate(const CRegion& region) {
  const SourceManager& sources = context_.getSourceManager();
  const auto main =
      sources.getPresumedLoc(sources.getLocForStartOfFile(sources.getMainFileID()), false);
  tree_.files.push_back(main.isValid() ? main.getFilename() : "");
  tree_.cpp = context_.getLangOpts().CPlusPlus;
  if (region.statements.empty()) {
    tree_.entry = function(region.function);
  } else {
    tree_.region = true;
    CFunction made;
    made.name = region.name;
    made.result = type(context_.VoidTy);
    parameters_of_region(region, made);
    std::vector<int> body;
    const auto* method = dyn_cast<CXXMethodDecl>(region.function);
    if (method != nullptr && !method->isStatic()) {
      this_.push_back(this_variable(method->getThisType()));
      made.member = true;
      made.parameters.insert(made.parameters.begin(), this_.back());
    }
    for (const Stmt* s : region.statements) body.push_back(statement(s));
    if (!this_.empty()) this_.pop_back();
    made.body = make(region.statements.front(), CKind::Block, std::move(body));
    made.line = tree_.nodes[static_cast<size_t>(made.body)].line;
    const SourceLocation begin = sources.getExpansionLoc(region.statements.front()->getBeginLoc());
    const SourceLocation end =
        sources.getExpansionRange(region.statements.back()->getEndLoc()).getEnd();
    tree_.region_text = Lexer::getSourceText(CharSourceRange::getTokenRange(begin, end), sources,
                                             context_.getLangOpts())
                            .str() +
                        ";";
    tree_.region_line = made.line;
    tree_.entry = static_cast<int>(tree_.functions.size());
    tree_.functions.push_back(std::move(made));
  }
  while (!pending_.empty()) {
    const FunctionDecl* next = pending_.back();
    pending_.pop_back();
    const int index = functions_[next];
    const auto* method = dyn_cast<CXXMethodDecl>(next);
    const bool member = method != nullptr && !method->isStatic();
    if (member) this_.push_back(tree_.functions[static_cast<size_t>(index)].parameters[0]);
    const int body = statement(next->getBody());
    if (member) this_.pop_back();
    tree_.functions[static_cast<size_t>(index)].body = body;
  }
  return std::move(tree_);
}

// ---- statements

int CTranslator::declarations(const DeclStmt* s) {
  std::vector<int> all;
  for (const Decl* declaration : s->decls()) {
    const auto* declared = dyn_cast<VarDecl>(declaration);
    if (declared == nullptr) continue;  // a type
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
    if (initial != nullptr && !(constructed != nullptr && constructed->getNumArgs() == 0)) {
      node.children.push_back(expression(initial));
    }
    all.push_back(add(std::move(node)));
  }
  if (all.size() == 1) return all[0];
  CNode block = at(s->getBeginLoc(), CKind::Block);
  block.text = "declarations";  // no scope of its own
  block.children = std::move(all);
  return add(std::move(block));
}

int CTranslator::control(const Stmt* s) {
  if (const auto* f = dyn_cast<ForStmt>(s)) {
    if (f->getConditionVariable() != nullptr) return unknown(s, "a declaration as a condition");
    const auto part = [&](const Stmt* p) { return p != nullptr ? statement(p) : empty(s); };
    const int init = part(f->getInit()), condition = part(f->getCond());
    const int step = part(f->getInc()), body = part(f->getBody());
    return make(s, CKind::For, {init, condition, step, body});
  }
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
    return unknown(s, "a declaration in an if");
  }
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
    return statement(attributed->getSubStmt());
  }
  if (isa<GotoStmt>(s) || isa<IndirectGotoStmt>(s)) return unknown(s, "a goto");
  if (isa<LabelStmt>(s)) return unknown(s, "a label");
  if (isa<SwitchStmt>(s)) return unknown(s, "a switch");
  if (isa<CXXForRangeStmt>(s)) return unknown(s, "a loop over a range");
  if (isa<CXXTryStmt>(s)) return unknown(s, "a try block");
  if (isa<AsmStmt>(s)) return unknown(s, "inline assembly");
  return unknown(s, std::string("a statement (") + s->getStmtClassName() + ")");
}

// ---- expressions

// The macro that stands for a literal alone, through macros that it was an argument of.
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
  if (range.getBegin() != range.getEnd() ||
      !Lexer::isAtStartOfMacroExpansion(place, sources, options) ||
      !Lexer::isAtEndOfMacroExpansion(place, sources, options)) {
    return "";
  }
  return Lexer::getImmediateMacroName(place, sources, options).str();
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

// The value of a constant expression; Unknown if it is none after all.
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
  return unknown(e, "an expression that is no constant");
}

int CTranslator::reference(const DeclRefExpr* e) {
  const ValueDecl* declaration = e->getDecl();
  if (isa<EnumConstantDecl>(declaration)) return constant(e, "");
  const auto* declared = dyn_cast<VarDecl>(declaration);
  if (declared == nullptr) return unknown(e, "the name of a function");
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
  if (declared->getType().isVolatileQualified()) return unknown(e, "a volatile variable");
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
    case CK_ToVoid:
      return made(e, CKind::Cast, {from});
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
    return unknown(e, "a member that is no variable");
  }
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
  const int body =
      callee->isInStdNamespace() || callee->getBuiltinID() != 0 ? -1 : function(callee);
  const int out = made(e, CKind::Call, std::move(children), name);
  tree_.nodes[static_cast<size_t>(out)].integer = body;
  return out;
}

int CTranslator::operator_call(const CXXOperatorCallExpr* e) {
  const OverloadedOperatorKind op = e->getOperator();
  const QualType object = e->getArg(0)->getType();
  const auto* record = object->getAsRecordDecl();
  const bool standard = record != nullptr && record->isInStdNamespace();
  if (op == OO_Subscript && record != nullptr && container_of(*record)) {
    const int base = expression(e->getArg(0)), index = expression(e->getArg(1));
    return made(e, CKind::Subscript, {base, index});
  }
  const auto* method = dyn_cast_or_null<CXXMethodDecl>(e->getDirectCallee());
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
  if (record != nullptr && container_of(*record)) {
    const std::string name = method->getNameAsString();
    if (pointer) return unknown(e, "a member of a container behind a pointer");
    if (name == "at" && e->getNumArgs() == 1) {
      const int index = expression(e->getArg(0));
      return made(e, CKind::Subscript, {base, index});
    }
    if (name == "data") {
      CNode first = at(e->getExprLoc(), CKind::Int);
      first.type = type(context_.IntTy);
      const int zero = add(std::move(first));
      CNode element = at(e->getExprLoc(), CKind::Subscript);
      element.type = type(container_of(*record)->element);
      element.children = {base, zero};
      return made(e, CKind::Address, {add(std::move(element))});
    }
    if (name == "size") return made(e, CKind::Call, {base}, "std::size");
    if (name == "swap" && e->getNumArgs() == 1) {
      const int other = expression(e->getArg(0));
      return made(e, CKind::Call, {base, other}, "std::swap");
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

int CTranslator::expression(const Expr* e) {
  e = e->IgnoreParens();
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
  if (const auto* t = dyn_cast<CXXBindTemporaryExpr>(e)) return expression(t->getSubExpr());
  if (const auto* t = dyn_cast<CXXDefaultArgExpr>(e)) return expression(t->getExpr());
  if (const auto* t = dyn_cast<CXXDefaultInitExpr>(e)) return expression(t->getExpr());
  if (const auto* t = dyn_cast<SubstNonTypeTemplateParmExpr>(e)) {
    return expression(t->getReplacement());
  }
  if (const auto* c = dyn_cast<CXXConstructExpr>(e)) {
    const bool copy = c->getNumArgs() == 1 && c->getConstructor()->isCopyOrMoveConstructor();
    if (copy) return expression(c->getArg(0));
    return unknown(e, "the constructor of a class");
  }
  if (isa<StmtExpr>(e)) return unknown(e, "a statement within an expression");
  if (isa<LambdaExpr>(e)) return unknown(e, "a lambda");
  if (isa<StringLiteral>(e)) return unknown(e, "a string");
  return unknown(e, std::string("an expression (") + e->getStmtClassName() + ")");
}

}  // namespace stencil::host
