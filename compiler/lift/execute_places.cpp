// Lvalues as paths: the place that an expression of C names, and the value stored there.
#include <fmt/format.h>

#include "compiler/lift/executor.h"

namespace stencil::lifter {

// ---- places

LValue Executor::place_of_variable(int variable) {
  if (const auto bound = aliases_.find(variable); bound != aliases_.end()) return bound->second;
  const CVariable& v = tree_.variables[variable];
  LValue out;
  out.kind = LValue::Kind::Cell;
  out.path = fmt::format("v{}", variable);
  out.type = v.type;
  const CTypeInfo* info = type_of(v.type);
  if (info->kind == CTypeInfo::Kind::Reference) out.type = info->of;
  if (v.initial >= 0 && cells_.count(out.path) == 0 && cells_.count(out.path + "[0]") == 0) {
    initialise(out.path, out.type, v.initial);
  }
  return out;
}

LValue Executor::element_of(const Pointer& pointer) {
  LValue out;
  out.type = pointer.type;
  if (pointer.array >= 0) {
    out.kind = LValue::Kind::Element;
    out.element = pointer;
    return out;
  }
  out.kind = LValue::Kind::Cell;
  out.path = pointer.path;
  for (X subscript : pointer.subscripts) {
    const Poly p = Poly::of(subscript);
    if (!p.is_constant() && is_table(pointer.path)) {
      out.kind = LValue::Kind::Table;
      out.at = subscript;
      out.why = fmt::format("an element of '{}' at a subscript that is not known",
                            c_expression(pointer.path));
      return out;
    }
    if (!p.is_constant()) {
      const size_t bracket = pointer.path.find('[');
      if (!probing_ && rooted_.insert(pointer.path.substr(0, bracket)).second) throw Restart();
      out.kind = LValue::Kind::None;
      out.why = "an element of a small array, with a subscript that is not known";
      return out;
    }
    out.path += fmt::format("[{}]", p.constant());
  }
  return out;
}

LValue Executor::place_of_subscript(const CNode& n) {
  const CNode& base = node(n.children[0]);
  const CTypeInfo* type = type_of(base.type);
  X index = scalar(n.children[1]);
  LValue out;
  out.type = n.type;
  if (index->kind == XKind::Unknown) {
    out.why = index->text;
    return out;
  }
  if (type != nullptr && type->kind == CTypeInfo::Kind::Reference) type = type_of(type->of);
  if (type == nullptr || type->kind == CTypeInfo::Kind::Pointer) {
    Value pointer = eval(n.children[0]);
    if (pointer.kind != Value::Kind::Pointer) {
      out.why = pointer.why;
      return out;
    }
    Pointer& p = pointer.pointer;
    if (p.subscripts.empty()) {
      if (index->kind == XKind::Int && index->integer == 0) return element_of(p);
      out.why = "an element of an array of structures";
      return out;
    }
    p.subscripts.back() = pool_.binary("+", p.subscripts.back(), index, CScalar::I64);
    return element_of(p);
  }
  LValue of = place(n.children[0]);
  if (of.kind == LValue::Kind::None) return of;
  if (of.kind == LValue::Kind::Table) {
    const Poly p = Poly::of(index);
    of.type = n.type;
    if (!p.is_constant()) of.kind = LValue::Kind::None;
    of.behind += fmt::format("[{}]", p.constant());
    return of;
  }
  if (of.kind == LValue::Kind::Element) {
    of.element.subscripts.push_back(index);
    of.element.type = n.type;
    return element_of(of.element);
  }
  const std::string root = of.path.substr(0, of.path.find('['));
  const bool small =
      is_local(of.path) && rooted_.count(root) == 0 && type->kind == CTypeInfo::Kind::Array;
  if (small || is_table(of.path)) return element_of({-1, {index}, of.path, n.type});
  Value whole = read_cell(of);
  if (whole.kind != Value::Kind::Pointer) {
    out.why = whole.why;
    return out;
  }
  whole.pointer.subscripts.back() =
      pool_.binary("+", whole.pointer.subscripts.back(), index, CScalar::I64);
  whole.pointer.type = n.type;
  return element_of(whole.pointer);
}

LValue Executor::place(int index) {
  const CNode& n = node(index);
  LValue out;
  out.type = n.type;
  switch (n.kind) {
    case CKind::Variable:
      return place_of_variable(static_cast<int>(n.integer));
    case CKind::Subscript:
      return place_of_subscript(n);
    case CKind::Deref: {
      const Value pointer = eval(n.children[0]);
      if (pointer.kind == Value::Kind::Pointer) {
        Pointer at = pointer.pointer;
        at.type = n.type;
        return element_of(at);
      }
      out.why = pointer.why;
      return out;
    }
    case CKind::Member: {
      LValue of = place(n.children[0]);
      if (of.kind == LValue::Kind::Cell) {
        of.path += "." + n.text;
        of.type = n.type;
        return of;
      }
      if (of.kind == LValue::Kind::Table) {
        of.behind += "." + n.text;
        of.type = n.type;
        return of;
      }
      if (of.kind == LValue::Kind::Element) {
        out.why = "a member of an array of structures";
        return out;
      }
      return of;
    }
    case CKind::Cast:
      if (scalar_of(n.type) == CScalar::None) return place(n.children[0]);
      break;
    case CKind::Comma:
      (void)eval(n.children[0]);
      return place(n.children[1]);
    case CKind::Call:
      return place_of_call(n);
    case CKind::Assign:
    case CKind::Step:
      if (has_effects(n.children[0])) break;  // the lvalue must be evaluated only once
      (void)eval(index);
      return place(n.children[0]);
    case CKind::Choice: {
      const auto known = decide(pool_.truth(scalar(n.children[0])));
      if (known) return place(n.children[*known ? 1 : 2]);
      break;
    }
    default:
      break;
  }
  out.why = n.kind == CKind::Unknown ? n.text : "an lvalue that is not known";
  return out;
}

// ---- reading

Value Executor::decayed(const LValue& of) {
  Pointer p = of.element;
  const CTypeInfo* type = type_of(of.type);
  p.subscripts.push_back(pool_.integer(0, CScalar::I64));
  p.type = type->of;
  return {Value::Kind::Pointer, nullptr, p, ""};
}

// Reads a cell. If the region never assigned to the cell, the value comes from outside of the
// region or is uninitialized.
Value Executor::read_cell(const LValue& of) {
  cell_types_[of.path] = of.type;
  if (in_time_) read_.insert(of.path);
  if (const auto found = cells_.find(of.path); found != cells_.end()) return found->second;
  const CTypeInfo* type = type_of(of.type);
  if (type == nullptr) return unknown("a value without a type");
  const bool local = is_local(of.path);
  const std::string root = of.path.substr(0, of.path.find('['));
  Value out;
  switch (type->kind) {
    case CTypeInfo::Kind::Scalar:
      if (local)
        return unknown(fmt::format("the uninitialized variable '{}'", c_expression(of.path)));
      return scalar_value(symbol_of(of.path, type->scalar));
    case CTypeInfo::Kind::Array:
      if (local && rooted_.count(root) == 0) {
        return {Value::Kind::Pointer,
                nullptr,
                {-1, {pool_.integer(0, CScalar::I64)}, of.path, type->of},
                ""};
      }
      [[fallthrough]];
    case CTypeInfo::Kind::Sequence: {
      const int array = array_of(of.path, of.type, false);
      if (array < 0) return unknown("an array of structures");
      return {Value::Kind::Pointer,
              nullptr,
              {array, {pool_.integer(0, CScalar::I64)}, "", type->of},
              ""};
    }
    case CTypeInfo::Kind::Pointer: {
      if (local)
        return unknown(fmt::format("the uninitialized pointer '{}'", c_expression(of.path)));
      const CTypeInfo* target = type_of(type->of);
      const bool single = single_.count(variable_of_path(of.path)) > 0;
      if (target->kind == CTypeInfo::Kind::Struct || target->kind == CTypeInfo::Kind::Void ||
          single) {
        return {Value::Kind::Pointer, nullptr, {-1, {}, "(*" + of.path + ")", type->of}, ""};
      }
      const int array = array_of(of.path, of.type, true);
      if (array < 0) return unknown("a pointer to something other than an array of numbers");
      return {Value::Kind::Pointer,
              nullptr,
              {array, {pool_.integer(0, CScalar::I64)}, "", type->of},
              ""};
    }
    default:
      return unknown(fmt::format("'{}', of the type '{}'", c_expression(of.path), type->text));
  }
}

Value Executor::read_element(const LValue& of, const CNode& at) {
  const CTypeInfo* type = type_of(of.type);
  const ArrayInfo& array = out_.arrays[of.element.array];
  if (type->kind == CTypeInfo::Kind::Array || type->kind == CTypeInfo::Kind::Sequence ||
      type->kind == CTypeInfo::Kind::Pointer) {
    return decayed(of);
  }
  if (type->kind != CTypeInfo::Kind::Scalar) return unknown("an element that is not a number");
  if (of.element.subscripts.size() != array.extents.size()) {
    return unknown(fmt::format("an element of '{}' with too few subscripts", array.c_expression));
  }
  bool constant = !array.local;
  for (X s : of.element.subscripts) constant = constant && Poly::of(s).is_constant();
  for (const auto& [path, id] : array_paths_) {
    if (id == of.element.array && stored_.count(path) > 0) constant = false;
  }
  if (!constant) return scalar_value(load(of.element.array, of.element.subscripts, at));
  // An element of an array that the region never writes is a scalar input.
  std::string name = array.name, c_expression = array.c_expression;
  for (X s : of.element.subscripts) {
    const int64_t k = Poly::of(s).constant();
    if (of.element.subscripts.size() > 1 || k != 0) name += fmt::format("_{}", k < 0 ? -k : k);
    c_expression += fmt::format("[{}]", k);
  }
  X symbol = symbol_named(name, c_expression, array.variable, array.element);
  SymbolInfo& known = out_.symbols[symbol->id];
  known.array = of.element.array;
  known.element.clear();
  for (X s : of.element.subscripts) known.element.push_back(Poly::of(s).constant());
  return scalar_value(symbol);
}

Value Executor::read(const LValue& of, const CNode& at) {
  if (of.kind == LValue::Kind::Cell) return read_cell(of);
  if (of.kind == LValue::Kind::Element) return read_element(of, at);
  if (of.kind == LValue::Kind::Table) return read_table(of);
  return unknown(of.why);
}

}  // namespace stencil::lifter
