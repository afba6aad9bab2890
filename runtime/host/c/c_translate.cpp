// Clang has already resolved names, overloads, templates, conversions and constants. This file
// expresses the AST in the few node kinds of the lifter (compiler/lift/c_tree.h). Statements
// without a corresponding node become Unknown. Later stages know the computation and decide whether
// an Unknown node matters.
//
// Constants that are not literals (sizeof, enumerators, constexpr and const variables) are
// evaluated here. A literal from a macro keeps the name of the macro.
#include "runtime/host/c/c_translate.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace stencil::host {

using namespace clang;

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
  Container out{arguments[0].getAsType(), -1, name == "span"};
  if (name == "vector" && out.element->isBooleanType()) return std::nullopt;
  if (name == "array" && arguments.size() > 1 &&
      arguments[1].getKind() == TemplateArgument::Integral) {
    out.extent = arguments[1].getAsIntegral().getExtValue();
  }
  return out;
}

// Matches by structure, not by namespace: std::mdspan, std::experimental::mdspan, Kokkos::mdspan.
std::optional<Mdspan> mdspan_of(const RecordDecl& record) {
  const auto* special = dyn_cast<ClassTemplateSpecializationDecl>(&record);
  if (special == nullptr || record.getName() != "mdspan") return std::nullopt;
  const TemplateArgumentList& arguments = special->getTemplateArgs();
  if (arguments.size() < 2 || arguments[0].getKind() != TemplateArgument::Type ||
      arguments[1].getKind() != TemplateArgument::Type) {
    return std::nullopt;
  }
  const auto* extents = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      arguments[1].getAsType()->getAsRecordDecl());
  if (extents == nullptr || extents->getName() != "extents") return std::nullopt;
  Mdspan out{arguments[0].getAsType(), {}, false, ""};
  const auto add_extent = [&](const TemplateArgument& argument) {
    if (argument.getKind() != TemplateArgument::Integral) return;
    const llvm::APSInt& value = argument.getAsIntegral();
    const bool dynamic = value.isAllOnes() || value.getActiveBits() > 62;
    out.extents.push_back(dynamic ? -1 : value.getExtValue());
  };
  for (const TemplateArgument& argument : extents->getTemplateArgs().asArray()) {
    if (argument.getKind() != TemplateArgument::Pack) {
      add_extent(argument);
      continue;
    }
    for (const TemplateArgument& one : argument.pack_elements()) add_extent(one);
  }
  if (out.extents.empty()) return std::nullopt;
  if (arguments.size() > 2 && arguments[2].getKind() == TemplateArgument::Type) {
    const auto* layout = arguments[2].getAsType()->getAsRecordDecl();
    const StringRef name = layout != nullptr ? layout->getName() : StringRef();
    out.left = name == "layout_left";
    if (!out.left && name != "layout_right")
      out.unknown = "an mdspan with a layout other than layout_right and layout_left";
  }
  if (out.left) std::reverse(out.extents.begin(), out.extents.end());
  return out;
}

int CTranslator::add(CNode node) {
  tree_.nodes.push_back(std::move(node));
  return static_cast<int>(tree_.nodes.size()) - 1;
}

CNode CTranslator::at(SourceLocation place, CKind kind) {
  const SourceManager& sources = context_.getSourceManager();
  CNode node;
  node.kind = kind;
  if (place.isInvalid()) return node;
  // For each column, the source manager counts from the start of the line. This would take time
  // quadratic in the length of a line.
  const auto [file, offset] = sources.getDecomposedLoc(sources.getExpansionLoc(place));
  const unsigned number = sources.getLineNumber(file, offset);
  const auto [entry, fresh] = lines_.try_emplace(std::pair{file.getHashValue(), number});
  Line& line = entry->second;
  if (fresh) {
    const PresumedLoc where = sources.getPresumedLoc(sources.getExpansionLoc(place), false);
    if (where.isInvalid()) {
      lines_.erase(entry);
      return node;
    }
    line = {where.getFilename(), where.getLine(), offset + 1 - where.getColumn()};
  }
  node.line = static_cast<int>(line.number);
  node.column = static_cast<int>(offset - line.begin + 1);
  const std::string& name = line.file;
  for (size_t i = 0; i < tree_.files.size(); ++i) {
    if (tree_.files[i] == name) node.file = static_cast<int>(i);
  }
  if (tree_.files.empty() || tree_.files[node.file] != name) {
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

// Whether omitting the expression could omit a side effect. Constructing or reading objects of the
// standard library has no side effect.
bool CTranslator::changes_something(const Expr& e) const {
  const Expr* inner = e.IgnoreParenImpCasts();
  const auto* constructed = dyn_cast<CXXConstructExpr>(inner);
  if (constructed != nullptr && constructed->getConstructor()->isInStdNamespace()) {
    return std::any_of(constructed->arg_begin(), constructed->arg_end(), [&](const Expr* argument) {
      return argument != nullptr && changes_something(*argument);
    });
  }
  const auto* by_operator = dyn_cast<CXXOperatorCallExpr>(inner);
  if (by_operator != nullptr) {  // the expression is an element of an object of unknown type
    const auto* method = dyn_cast_or_null<CXXMethodDecl>(by_operator->getDirectCallee());
    const OverloadedOperatorKind op = by_operator->getOperator();
    if (method != nullptr && method->isConst() && (op == OO_Call || op == OO_Subscript)) {
      return std::any_of(by_operator->arg_begin(), by_operator->arg_end(),
                         [&](const Expr* argument) { return changes_something(*argument); });
    }
  }
  if (const auto* call = dyn_cast<CXXMemberCallExpr>(inner)) {
    const CXXMethodDecl* method = call->getMethodDecl();
    if (method != nullptr && method->isInStdNamespace() && method->isConst()) return false;
  }
  return !e.isValueDependent() && e.HasSideEffects(context_);
}

int CTranslator::unknown(const Stmt* s, const std::string& what) {
  const int node = make(s, CKind::Unknown, {}, what);
  if (const auto* e = dyn_cast_or_null<Expr>(s)) {
    const int of = type(e->getType());
    tree_.nodes[node].type = of;
    tree_.nodes[node].integer = changes_something(*e) ? 1 : 0;
  }
  return node;
}

// ---- Types

CTypeInfo CTranslator::describe_record(QualType original, const RecordDecl& record) {
  CTypeInfo out;
  if (const auto container = container_of(record)) {
    out.kind = container->extent >= 0 ? CTypeInfo::Kind::Array : CTypeInfo::Kind::Sequence;
    out.extent = container->extent;
    if (container->view) out.view = CTypeInfo::View::Span;
    out.of = type(container->element);
    return out;
  }
  if (const auto mdspan = mdspan_of(record)) {
    if (!mdspan->unknown.empty()) return out;
    out.kind = CTypeInfo::Kind::Sequence;
    out.view = mdspan->left ? CTypeInfo::View::Left : CTypeInfo::View::Right;
    out.extent = mdspan->extents[0];
    out.of = type(mdspan->element);
    for (size_t d = mdspan->extents.size(); d-- > 1;) {
      CTypeInfo inner;
      inner.extent = mdspan->extents[d];
      inner.kind = inner.extent >= 0 ? CTypeInfo::Kind::Array : CTypeInfo::Kind::Sequence;
      inner.of = out.of;
      out.of = static_cast<int>(tree_.types.size());
      tree_.types.push_back(std::move(inner));
    }
    return out;
  }
  const RecordDecl* definition = record.getDefinition();
  if (definition == nullptr || definition->isUnion()) return out;
  if (const auto* with_bases = dyn_cast<CXXRecordDecl>(definition)) {
    if (with_bases->getNumBases() > 0) return out;
  }
  out.kind = CTypeInfo::Kind::Struct;
  note(unfamiliar_attribute(*definition));
  for (const FieldDecl* field : definition->fields()) {
    note(unfamiliar_attribute(*field));
    out.members.push_back(field->getNameAsString());
    const TypeSourceInfo* source = field->getTypeSourceInfo();
    out.member_types.push_back(source != nullptr
                                   ? with_lengths(field->getType(), source->getTypeLoc())
                                   : type(field->getType()));
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

// Translates a type. A type is registered before it is described, so the recursion ends for types
// that refer to themselves through pointers.
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
  // Numbers and containers get canonical names; other types keep the written names.
  const bool plain = (info.kind == CTypeInfo::Kind::Scalar && !canonical->isEnumeralType()) ||
                     info.kind == CTypeInfo::Kind::Sequence;
  info.text = (plain ? canonical : t).getAsString(policy);
  tree_.types[index] = std::move(info);
  return index;
}

// ---- Declarations

int CTranslator::variable(const VarDecl* declaration) {
  declaration = declaration->getCanonicalDecl();
  if (const auto found = variables_.find(declaration); found != variables_.end()) {
    return found->second;
  }
  const int index = static_cast<int>(tree_.variables.size());
  tree_.variables.emplace_back();
  variables_[declaration] = index;
  note(unfamiliar_attribute(*declaration));
  CVariable made;
  made.name = declaration->getNameAsString();
  QualType of = declaration->getType();
  if (const auto* parameter = dyn_cast<ParmVarDecl>(declaration)) {
    made.storage = CVariable::Storage::Parameter;
    // For a parameter double A[n][m], only the original type has the length n; the adjusted type is
    // a pointer.
    if (parameter->getOriginalType()->isArrayType()) of = parameter->getOriginalType();
  } else if (declaration->hasGlobalStorage()) {
    made.storage = CVariable::Storage::Global;
  }
  const TypeSourceInfo* source = declaration->getTypeSourceInfo();
  made.type = source != nullptr ? with_lengths(of, source->getTypeLoc()) : type(of);
  made.line = at(declaration->getLocation(), CKind::Empty).line;
  const VarDecl* with_value = nullptr;
  const Expr* initial = declaration->getAnyInitializer(with_value);
  if (made.storage == CVariable::Storage::Global && initial != nullptr &&
      context_.getBaseElementType(declaration->getType()).isConstQualified()) {
    made.initial = expression(initial);
  }
  tree_.variables[index] = std::move(made);
  return index;
}

// Whether an expression contains a number that has a name, because it comes from a macro or a
// constant.
bool CTranslator::named(int index) const {
  const CNode& node = tree_.nodes[index];
  return (node.kind == CKind::Int && !node.text.empty()) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [&](int child) { return named(child); });
}

// The type of an array, with its length as written in the source. Clang's types contain only the
// number.
int CTranslator::with_length(QualType t, ArrayTypeLoc written) {
  const ArrayType* array = context_.getAsArrayType(t);
  const int plain = type(t);
  if (array == nullptr) return plain;
  const Expr* size = written.getSizeExpr();
  const int of = with_lengths(array->getElementType(), written.getElementLoc());
  int length = -1;
  if (size != nullptr && !size->isInstantiationDependent()) length = expression(size);
  CTypeInfo info = tree_.types[plain];
  const bool known = length >= 0 && info.extent >= 0 && named(length);
  if (!known && of == info.of) return plain;
  if (known) info.size = length;
  info.of = of;
  tree_.types.push_back(std::move(info));
  return static_cast<int>(tree_.types.size()) - 1;
}

int CTranslator::with_lengths(QualType t, TypeLoc written) {
  const int plain = type(t);
  while (written) {
    if (const auto qualified = written.getAs<QualifiedTypeLoc>()) {
      written = qualified.getUnqualifiedLoc();
    } else if (const auto elaborated = written.getAs<ElaboratedTypeLoc>()) {
      written = elaborated.getNamedTypeLoc();
    } else if (const auto parens = written.getAs<ParenTypeLoc>()) {
      written = parens.getInnerLoc();
    } else if (const auto adjusted = written.getAs<AdjustedTypeLoc>()) {
      written = adjusted.getOriginalLoc();
    } else if (const auto alias = written.getAs<TypedefTypeLoc>()) {
      const TypeSourceInfo* source = alias.getTypedefNameDecl()->getTypeSourceInfo();
      if (source == nullptr) return plain;
      written = source->getTypeLoc();
    } else {
      break;
    }
  }
  if (!written) return plain;
  if (const auto array = written.getAs<ArrayTypeLoc>()) return with_length(t, array);
  TypeLoc pointee;
  if (const auto pointer = written.getAs<PointerTypeLoc>()) pointee = pointer.getPointeeLoc();
  if (const auto reference = written.getAs<ReferenceTypeLoc>()) pointee = reference.getPointeeLoc();
  if (!pointee || t->getPointeeType().isNull()) return plain;
  const int of = with_lengths(t->getPointeeType(), pointee);
  CTypeInfo info = tree_.types[plain];
  if (of == info.of) return plain;
  info.of = of;
  tree_.types.push_back(std::move(info));
  return static_cast<int>(tree_.types.size()) - 1;
}

int CTranslator::this_variable(QualType of) {
  CVariable made;
  made.name = "this";
  made.type = type(of);
  made.storage = CVariable::Storage::Parameter;
  tree_.variables.push_back(std::move(made));
  return static_cast<int>(tree_.variables.size()) - 1;
}

namespace {

// The named namespaces and classes that contain a function: "q::S::".
std::string scope_of(const FunctionDecl& function) {
  std::string out;
  for (const DeclContext* around = function.getDeclContext(); around != nullptr;
       around = around->getParent()) {
    const auto* named = dyn_cast<NamedDecl>(around);
    if (named != nullptr && !named->getName().empty()) out = named->getNameAsString() + "::" + out;
  }
  return out;
}

}  // namespace

// Translates the declaration of a function. Bodies are translated later, one by one, because call
// chains may be deep.
int CTranslator::function(const FunctionDecl* declaration) {
  const FunctionDecl* definition = nullptr;
  if (!declaration->hasBody(definition)) return -1;
  if (const auto found = functions_.find(definition); found != functions_.end()) {
    return found->second;
  }
  const int index = static_cast<int>(tree_.functions.size());
  tree_.functions.emplace_back();
  functions_[definition] = index;
  note(unfamiliar_attribute(*definition));
  translated_.push_back(definition);
  CFunction made;
  made.name = definition->getNameAsString();
  made.scope = scope_of(*definition);
  made.result = type(definition->getReturnType());
  made.line = at(definition->getLocation(), CKind::Empty).line;
  const auto* method = dyn_cast<CXXMethodDecl>(definition);
  made.member = method != nullptr && !method->isStatic();
  if (made.member) made.parameters.push_back(this_variable(method->getThisType()));
  for (const ParmVarDecl* parameter : definition->parameters()) {
    made.parameters.push_back(variable(parameter));
  }
  made.body = empty(nullptr);
  tree_.functions[index] = std::move(made);
  pending_.push_back(definition);
  return index;
}

namespace {

// Variables that statements use but do not declare, in order of first use.
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
  // The type double (*a)[n] uses the variable n.
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
    note(unfamiliar_attribute(*region.function));
    translated_.push_back(region.function);
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
    made.line = tree_.nodes[made.body].line;
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
    if (member) this_.push_back(tree_.functions[index].parameters[0]);
    const int body = statement(next->getBody());
    if (member) this_.pop_back();
    tree_.functions[index].body = body;
  }
  return std::move(tree_);
}

}  // namespace stencil::host
