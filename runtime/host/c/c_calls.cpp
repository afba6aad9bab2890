// Translates calls in the AST to nodes: functions, operators and constructors of classes, standard
// containers, and mdspan.
#include "runtime/host/c/c_translate.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace stencil::host {

using namespace clang;

int CTranslator::called(const CallExpr* e, const FunctionDecl* callee, std::vector<int> children,
                        unsigned skip) {
  for (unsigned i = skip; i < e->getNumArgs(); ++i) children.push_back(expression(e->getArg(i)));
  if (callee == nullptr) return unknown(e, "a call through a pointer");
  std::string name = callee->getQualifiedNameAsString();
  if (const auto known = folded_call(e, callee, children)) return *known;
  const int body = callee->isInStdNamespace() ? -1 : function(callee);
  const bool of_system = context_.getSourceManager().isInSystemHeader(callee->getLocation());
  if (body < 0 && !of_system && callee->hasAttr<AsmLabelAttr>())
    return unknown(e, "a call of '" + name + "', whose asm label names another symbol");
  const int out = made(e, CKind::Call, std::move(children), name);
  tree_.nodes[out].integer = body;
  return out;
}

// Evaluates calls of recursive constexpr functions. The lifter executes other functions itself, so
// that the names of constants are kept.
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
  tree_.nodes[out].integer = -1;
  return out;
}

// Translates a(i, j) and a[i, j] to nested subscripts in memory order.
int CTranslator::mdspan_element(const Expr* e, const Mdspan& of, int base,
                                llvm::ArrayRef<const Expr*> indices) {
  if (!of.unknown.empty()) return unknown(e, of.unknown);
  if (indices.size() != of.extents.size()) return unknown(e, "an mdspan indexed by an array");
  int at_type = tree_.nodes[base].type;
  if (tree_.types[at_type].kind == CTypeInfo::Kind::Reference) at_type = tree_.types[at_type].of;
  for (size_t d = 0; d < indices.size(); ++d) {
    const int index = expression(indices[of.left ? indices.size() - 1 - d : d]);
    at_type = tree_.types[at_type].of;
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
    const int64_t fixed = of.extents[in_memory];
    if (fixed >= 0) return number(fixed);
    const int first = number(in_memory), second = number(d);
    return library_call(e, {base, first, second}, "std::extent");
  }
  return unknown(e, "'" + name + "' of an mdspan");
}

// Translates a pointer to the first element: &base[0].
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

// Translates mdspan(p, n, m): converts p to double (*)[m].
int CTranslator::mdspan_of_pointer(const CXXConstructExpr* e, const Mdspan& of) {
  const size_t rank = of.extents.size(), given = e->getNumArgs() - 1;
  size_t open = 0;
  for (int64_t extent : of.extents) open += extent < 0 ? 1 : 0;
  if (!of.unknown.empty()) return unknown(e, of.unknown);
  bool integers = given == rank || given == open;
  for (unsigned k = 1; k < e->getNumArgs(); ++k)
    integers = integers && e->getArg(k)->getType()->isIntegerType();
  if (!e->getArg(0)->getType()->isPointerType() || !integers)
    return unknown(e, "an mdspan that is not constructed from a pointer and integers");
  const int pointer = expression(e->getArg(0));
  int row = type(of.element);
  // Index of the argument; counts down from the last dimension in memory.
  unsigned next = e->getNumArgs();
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
  rows.text = tree_.types[type(e->getType())].text;
  CNode cast = at(e->getExprLoc(), CKind::Cast);
  cast.type = static_cast<int>(tree_.types.size());
  tree_.types.push_back(std::move(rows));
  cast.children = {pointer};
  return add(std::move(cast));
}

// Translates the default constructor of a class to a list of the members' initializers.
int CTranslator::by_default(const CXXConstructExpr* e) {
  const auto* record = e->getType()->getAsCXXRecordDecl();
  if (record == nullptr || record->getNumBases() > 0)
    return unknown(e, "the constructor of a class");
  std::vector<int> members;
  for (const FieldDecl* field : record->fields()) {
    const Expr* value = field->getInClassInitializer();
    const int member = value != nullptr
                           ? expression(value)
                           : make(e, CKind::Unknown, {}, "a member without an initializer");
    // the constructor of a member may have any effect
    const bool constructed = value == nullptr && field->getType()->isRecordType();
    const auto* of = constructed ? field->getType()->getAsCXXRecordDecl() : nullptr;
    if (of != nullptr && !of->hasTrivialDefaultConstructor() && !of->isInStdNamespace())
      return unknown(e, "the constructor of a class");
    members.push_back(member);
  }
  return made(e, CKind::List, std::move(members));
}

// Translates copies, and views of known memory.
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
  return unknown(e, "a span that is not constructed from a pointer or a container");
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
    if (pointer) return unknown(e, "a member of an mdspan accessed through a pointer");
    return mdspan_member(e, *mdspan, base);
  }
  if (record != nullptr && container_of(*record)) {
    const std::string name = method->getNameAsString();
    if (pointer) return unknown(e, "a member of a container accessed through a pointer");
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

}  // namespace stencil::host
