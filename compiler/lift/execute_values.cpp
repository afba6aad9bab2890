// Expressions as graphs of values, and assignments. execute_places.cpp finds the places.
//
// If possible, a condition on a loop index is decided by splitting the domain of the loop: the body
// of `if (i == 0)` becomes a separate piece. A condition on data becomes a select.
#include <fmt/format.h>

#include "compiler/lift/executor.h"

namespace stencil::lifter {

CScalar Executor::scalar_of(int type) const {
  const CTypeInfo* info = type_of(type);
  if (info != nullptr && info->kind == CTypeInfo::Kind::Reference) info = type_of(info->of);
  return info != nullptr && info->kind == CTypeInfo::Kind::Scalar ? info->scalar : CScalar::None;
}

// The position of a node in the file to lift. If the code is in a header, the position of the call
// that leads to the header.
CPlace Executor::where(const CNode& at) const {
  if (at.file == 0) return place_in_c(at);
  for (auto it = call_sites_.rbegin(); it != call_sites_.rend(); ++it) {
    if (node(*it).file == 0) return place_in_c(node(*it));
  }
  return place_in_c(at);
}

void Executor::refuse(const std::string& code, const CNode& at, const std::string& message,
                      const std::string& hint) const {
  throw Refusal{code, where(at), message, hint};
}

void Executor::budget(const CNode& at) {
  if (++steps_taken_ > 4000000) {
    refuse("C024", at, "the region is too large for the lifter",
           "mark a smaller part with #pragma scop and #pragma endscop");
  }
}

X Executor::scalar(int index) {
  const Value value = eval(index);
  const CScalar type = scalar_of(node(index).type);
  if (value.kind == Value::Kind::Scalar) return value.x;
  return pool_.unknown(
      value.kind == Value::Kind::None ? value.why : "a pointer that is used as a number", type);
}

// ---- values

Value Executor::eval(int index) {
  const CNode& n = node(index);
  budget(n);
  switch (n.kind) {
    case CKind::Int:
      if (is_param(n)) {
        const bool wide = !holds(CScalar::I32, n.integer);
        X symbol = symbol_named(n.text, n.text, -1, wide ? CScalar::I64 : CScalar::I32);
        out_.symbols[symbol->id].value = n.integer;
        return scalar_value(pool_.cast(symbol, scalar_of(n.type)));
      }
      return scalar_value(pool_.integer(n.integer, scalar_of(n.type)));
    case CKind::Real:
      return scalar_value(pool_.real(n.real, scalar_of(n.type)));
    case CKind::Variable:
    case CKind::Subscript:
    case CKind::Deref:
    case CKind::Member:
      return read(place(index), n);
    case CKind::Address: {
      const LValue of = place(n.children[0]);
      if (of.kind == LValue::Kind::Element) return {Value::Kind::Pointer, nullptr, of.element, ""};
      if (of.kind == LValue::Kind::Cell) {
        Pointer p{-1, {}, of.path, of.type};
        const size_t bracket = of.path.rfind('[');
        if (bracket != std::string::npos && of.path.back() == ']') {
          p.subscripts = {pool_.integer(std::atoll(of.path.c_str() + bracket + 1), CScalar::I64)};
          p.path = of.path.substr(0, bracket);
        }
        return {Value::Kind::Pointer, nullptr, p, ""};
      }
      return unknown(of.why);
    }
    case CKind::Unary: {
      X x = scalar(n.children[0]);
      if (n.text == "!") {
        X truth = pool_.truth(x);
        return scalar_value(pool_.negation(truth));
      }
      return scalar_value(pool_.unary(n.text, x, scalar_of(n.type)));
    }
    case CKind::Binary:
      return eval_binary(n);
    case CKind::Cast:
      return eval_cast(n);
    case CKind::Choice:
      return eval_choice(n);
    case CKind::Assign:
      return eval_assign(n);
    case CKind::Step:
      return eval_step(n);
    case CKind::Call:
      return eval_call(n);
    case CKind::Comma:
      (void)eval(n.children[0]);
      return eval(n.children[1]);
    case CKind::List:
      if (n.children.size() == 1) return eval(n.children[0]);
      return unknown("an initializer list");
    default:
      if (n.kind == CKind::Unknown && n.integer != 0) {
        refuse("C015", n, n.text + " has no counterpart in a stencil program",
               "its effects are unknown: rewrite it");
      }
      return unknown(n.kind == CKind::Unknown ? n.text : "a value that is not known");
  }
}

Value Executor::eval_binary(const CNode& n) {
  if (n.text == "&&" || n.text == "||") return eval_logical(n);
  // x += e evaluates e before it reads x
  Value left, right;
  if (n.integer == 1) right = eval(n.children[1]);
  left = eval(n.children[0]);
  if (n.integer != 1) right = eval(n.children[1]);
  for (const Value* value : {&left, &right}) {
    if (value->kind == Value::Kind::None) return unknown(value->why);
  }
  const bool first = left.kind == Value::Kind::Pointer, second = right.kind == Value::Kind::Pointer;
  if (first && second) {
    const bool same = left.pointer == right.pointer;
    if (same && n.text == "==") return scalar_value(pool_.integer(1));
    if (same && n.text == "!=") return scalar_value(pool_.integer(0));
    return unknown("a comparison or difference of pointers");
  }
  if (first || second) {
    Pointer p = first ? left.pointer : right.pointer;
    X by = first ? right.x : left.x;
    if ((n.text != "+" && n.text != "-") || p.subscripts.empty()) {
      return unknown("pointer arithmetic");
    }
    p.subscripts.back() = pool_.binary(n.text, p.subscripts.back(), by, CScalar::I64);
    return {Value::Kind::Pointer, nullptr, p, ""};
  }
  CScalar type = scalar_of(n.type);
  const bool comparison = n.text == "<" || n.text == "<=" || n.text == ">" || n.text == ">=" ||
                          n.text == "==" || n.text == "!=";
  if (comparison) type = CScalar::I32;
  // t & 1 of a nonnegative counter is t % 2
  const bool mask = n.text == "&" && right.x->kind == XKind::Int && right.x->integer > 0 &&
                    (right.x->integer & (right.x->integer + 1)) == 0;
  Poly least;
  if (mask) {
    // `% 2` requires a nonnegative operand; the step number is always nonnegative.
    const auto sum = exact(left.x);
    least = sum ? extreme(*sum, false) : Poly(-1);
    if (time_ != nullptr && least.linear_in(time_).value_or(0) > 0) least = least.without(time_);
  }
  if (mask && (contains(left.x, XKind::Time) || contains(left.x, XKind::Index)) &&
      !contains(left.x, XKind::Load) && known_at_least_zero(least)) {
    return scalar_value(remainder_of(
        pool_.binary("%", left.x, pool_.integer(right.x->integer + 1, type), type), false));
  }
  X out = pool_.binary(n.text, left.x, right.x, type);
  if (n.text == "%" && in_nest_) out = remainder_of(out, false);
  return scalar_value(out);
}

Value Executor::eval_cast(const CNode& n) {
  const CTypeInfo* to = type_of(n.type);
  Value from = eval(n.children[0]);
  if (to == nullptr || to->kind == CTypeInfo::Kind::Void || from.kind == Value::Kind::None)
    return from;
  if (from.kind == Value::Kind::Scalar) {
    if (to->kind == CTypeInfo::Kind::Pointer) return unknown("a number that is used as a pointer");
    if (to->kind != CTypeInfo::Kind::Scalar)
      return unknown(fmt::format("a value of the type '{}'", to->text));
    return scalar_value(pool_.cast(from.x, to->scalar));
  }
  if (to->kind != CTypeInfo::Kind::Pointer) return unknown("a pointer that is used as a number");
  Pointer& p = from.pointer;
  const CTypeInfo* target = type_of(to->of);
  if (target->kind == CTypeInfo::Kind::Void) return from;
  if (p.array < 0) {
    const bool whole = p.path.rfind("(*", 0) == 0 && p.subscripts.empty();
    if (target->kind == CTypeInfo::Kind::Struct) {
      p.type = to->of;
      return from;
    }
    if (!whole) return unknown("a pointer that is converted");
    const std::string path = p.path.substr(2, p.path.size() - 3);
    const int array = array_of(path, n.type, true);
    if (array < 0) return unknown("a pointer to something other than an array of numbers");
    return {
        Value::Kind::Pointer, nullptr, {array, {pool_.integer(0, CScalar::I64)}, "", to->of}, ""};
  }
  // The cast in (double (*)[n][m]) a gives a shape to a pointer to scalars.
  ArrayInfo& array = out_.arrays[p.array];
  std::vector<X> extents = {nullptr};
  const CTypeInfo* t = target;
  for (; t->kind == CTypeInfo::Kind::Array; t = type_of(t->of)) {
    const bool number = t->extent >= 0 && (t->size < 0 || !has_param(t->size));
    X extent = number         ? pool_.integer(t->extent, CScalar::I64)
               : t->size >= 0 ? scalar(t->size)
                              : nullptr;
    if (extent == nullptr || extent->kind == XKind::Unknown)
      return unknown("an array whose shape is not known");
    extents.push_back(extent);
  }
  if (t->kind != CTypeInfo::Kind::Scalar || t->scalar != array.element) {
    return unknown(fmt::format("'{}', which is read as another type", array.c_expression));
  }
  const bool start = p.subscripts.size() == 1 && Poly::of(p.subscripts[0]).zero();
  if (extents.size() == 1) return from;
  // double (*s)[m] = a has the same rows as double a[n][m]
  const bool rows = !array.linear && array.extents.size() == extents.size() &&
                    std::equal(extents.begin() + 1, extents.end(), array.extents.begin() + 1);
  if (start && rows) {
    p.type = to->of;
    return from;
  }
  if (!start || !array.linear) {
    return unknown(fmt::format("'{}', which is used with several shapes", array.c_expression));
  }
  array.linear = false;
  array.extents = extents;
  p.type = to->of;
  return from;
}

void Executor::assign_object(const LValue& to, const LValue& from, const CNode& at) {
  for (const LValue* of : {&from, &to}) {
    if (of->kind == LValue::Kind::None)
      refuse("C020", at,
             "the source or target of a structure copy cannot be determined: " + of->why);
  }
  if (to.kind != LValue::Kind::Cell || from.kind != LValue::Kind::Cell) {
    refuse("C020", at, "a structure is copied from or to an array");
  }
  const CTypeInfo* type = type_of(to.type);
  for (size_t i = 0; i < type->members.size(); ++i) {
    LValue target = to, source = from;
    target.path += "." + type->members[i];
    source.path += "." + type->members[i];
    target.type = source.type = type->member_types[i];
    const CTypeInfo* member = type_of(target.type);
    if (member->kind == CTypeInfo::Kind::Struct) {
      assign_object(target, source, at);
    } else if (member->kind == CTypeInfo::Kind::Array) {
      assign_array(target, source, at);
    } else {
      cells_[target.path] = read_cell(source);
    }
  }
}

// Copies an array inside a structure element by element, if it has few elements.
void Executor::assign_array(const LValue& to, const LValue& from, const CNode& at) {
  constexpr int64_t kMostElements = 64;
  const CTypeInfo* type = type_of(to.type);
  const bool few =
      type->extent >= 0 && type->extent <= kMostElements && scalar_of(type->of) != CScalar::None;
  cells_[to.path] = unknown(fmt::format("'{}', a copy of an array", c_expression(to.path)));
  if (!few) return;
  cells_.erase(to.path);
  const bool small = is_local(from.path) && rooted_.count(from.path) == 0;
  Value whole;
  if (!small) whole = read_cell(from);
  for (int64_t k = 0; k < type->extent; ++k) {
    X index = pool_.integer(k, CScalar::I64);
    Pointer element{-1, {index}, from.path, type->of};
    if (!small && whole.kind == Value::Kind::Pointer) {
      element = whole.pointer;
      element.subscripts.back() = pool_.binary("+", element.subscripts.back(), index, CScalar::I64);
      element.type = type->of;
    }
    cells_[fmt::format("{}[{}]", to.path, k)] = read(element_of(element), at);
  }
}

void Executor::assign(const LValue& to, const Value& value, const CNode& at) {
  if (to.kind == LValue::Kind::None || to.kind == LValue::Kind::Table) {
    if (call_depth_ >= 0)
      refuse("C020", at, "the target of the assignment cannot be determined: " + to.why);
  }
  if (to.kind == LValue::Kind::Cell) {
    cell_types_[to.path] = to.type;
    cells_[to.path] = value;
    return;
  }
  const CTypeInfo* type = type_of(to.type);
  const ArrayInfo& array = out_.arrays[to.element.array];
  if (type == nullptr || type->kind != CTypeInfo::Kind::Scalar) {
    refuse("C020", at,
           fmt::format("a pointer or structure in '{}' is assigned", array.c_expression),
           "rows and records of an array may be used but not reassigned");
  }
  if (to.element.subscripts.size() != array.extents.size()) {
    refuse("C020", at, fmt::format("'{}' is assigned with too few subscripts", array.c_expression));
  }
  if (value.kind != Value::Kind::Scalar) {
    refuse("C022", at, fmt::format("'{}' is assigned {}", array.c_expression, value.why));
  }
  store(to.element.array, to.element.subscripts, value.x, at);
}

Value Executor::eval_assign(const CNode& n) {
  const CTypeInfo* type = type_of(node(n.children[0]).type);
  if (type != nullptr && type->kind == CTypeInfo::Kind::Struct) {
    const LValue from = place(n.children[1]), to = place(n.children[0]);
    if (from.kind == LValue::Kind::None) refuse("C020", n, "a structure is assigned " + from.why);
    assign_object(to, from, n);
    return unknown("a structure");
  }
  const Value value = eval(n.children[1]);
  assign(place(n.children[0]), value, n);
  return value;
}

Value Executor::eval_step(const CNode& n) {
  const LValue of = place(n.children[0]);
  const Value before = read(of, n);
  const char* op = n.text.find('+') != std::string::npos ? "+" : "-";
  Value after = before;
  if (before.kind == Value::Kind::Scalar) {
    // char and short are promoted to int
    const CScalar type = before.x->type;
    const bool narrow = is_integer(type) && bits_of(type) < 32;
    const CScalar wide = narrow ? CScalar::I32 : type;
    X one = is_floating(type) ? pool_.real(1, type) : pool_.integer(1, wide);
    after.x = pool_.cast(pool_.binary(op, pool_.cast(before.x, wide), one, wide), type);
  } else if (before.kind == Value::Kind::Pointer && !before.pointer.subscripts.empty()) {
    X& last = after.pointer.subscripts.back();
    last = pool_.binary(op, last, pool_.integer(1, CScalar::I64), CScalar::I64);
  }
  assign(of, after, n);
  return n.text[0] == 'x' ? before : after;
}

}  // namespace stencil::lifter
