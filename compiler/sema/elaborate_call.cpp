// Calls and comprehensions. Both evaluate one piece of program text several times.
//
// A function of the program is inlined. Its field arguments are fields at a level. Its value
// arguments are evaluated at the place of the application. An application at an offset, such as
// lap(U)[0,0,1], shifts every access in the body. It does not shift value arguments, because they
// belong to the place of the application.
//
// Functions see params, tables, fields and earlier functions, but no local names. A result
// therefore depends only on the function, the arguments and the shift. Results are stored under
// these; otherwise nested functions would take exponential time.
//
// A comprehension combines the values of its body (by a sum, a product, ...) for all values of its
// variables. It combines them from left to right; the last variable changes fastest.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "compiler/sema/ast_names.h"
#include "compiler/sema/elaborate.h"

namespace stencil::sema {
namespace {

constexpr size_t kMaxBinders = 16;
constexpr int kMaxArguments = 64;  // largest number of arguments of min and max

struct BuiltIn {
  Op op;
  int least, most;  // limits of the number of arguments
};

// The built-in functions by name.
const std::unordered_map<std::string_view, BuiltIn>& built_ins() {
  static const auto table = [] {
    std::unordered_map<std::string_view, BuiltIn> rows;
    for (int i = 0; i <= static_cast<int>(Op::Convert); ++i) {
      const Op op = static_cast<Op>(i);
      const bool function = std::isalpha(static_cast<unsigned char>(spelling(op)[0])) != 0;
      if (!function || class_of(op) == OpClass::Logic || op == Op::Convert) continue;
      const bool many = op == Op::Min || op == Op::Max;
      rows[spelling(op)] = {op, arity(op), many ? kMaxArguments : arity(op)};
    }
    return rows;
  }();
  return table;
}

std::optional<Scalar> conversion_target(const std::string& name, Scalar real) {
  if (name == "real") return real;
  if (name == "integer") return Scalar::I32;
  if (name == "long") return Scalar::I64;
  if (name == "float") return Scalar::F32;
  if (name == "double") return Scalar::F64;
  return std::nullopt;
}

std::optional<Op> reducing_operation(const std::string& reducer) {
  if (reducer == "sum") return Op::Add;
  if (reducer == "prod") return Op::Mul;
  if (reducer == "min") return Op::Min;
  if (reducer == "max") return Op::Max;
  return std::nullopt;
}

bool check_count(Report& report, const ast::Call& call, Span span, size_t least, size_t most) {
  const size_t found = call.arguments.size();
  if (found >= least && found <= most) return true;
  Diagnostic& error = report.error(
      "S023", span, fmt::format("wrong number of arguments of '{}'", call.callee.name));
  error.expected = least == most           ? fmt::format("{}", least)
                   : most == kMaxArguments ? fmt::format("at least {}", least)
                                           : fmt::format("{} to {}", least, most);
  error.found = fmt::format("{}", found);
  error.hint = hint_for_foreign_word(Foreign::Function, call.callee.name);
  return false;
}

// The exponent of a power that is written as products. It must be a whole number of at most kMost
// in magnitude, computed from literals only. A param does not qualify even if its value is known.
// Fixed and open params therefore give the same bits.
std::optional<int64_t> whole_exponent(const Value& value) {
  constexpr double kMost = 16;
  if (!value.ok() || value.leaves.size() != 1) return std::nullopt;
  const Leaf& leaf = value.leaves[0];
  const auto* constant = std::get_if<Constant>(&leaf);
  if (!constant || leaf.coordinate || constant->type) return std::nullopt;
  if (std::abs(constant->real) > kMost || constant->real != std::trunc(constant->real)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(constant->real);
}

// Appends a value argument to the key under which the result of an application is stored.
void append_key(std::vector<int64_t>& key, const Value& value) {
  key.push_back(static_cast<int64_t>(value.leaves.size()));
  for (const Leaf& leaf : value.leaves) sema::append_key(key, leaf);
}

}  // namespace

Value Elaborator::call(const ast::Call& call, Span span, const std::vector<int>* shift,
                       const Type* expected) {
  const std::string& name = call.callee.name;
  const bool known_here = is_reserved(name) || env_.means_library(name);
  if (name == "sign" && known_here) return sign(call, span, expected);
  if (name == "lshr" && known_here) return logical_shift(call, span);
  if (name == "random" && known_here) return random(call, span);
  if (const auto place = built_ins().find(name); place != built_ins().end() && known_here) {
    const auto& [op, least, most] = place->second;
    if (!check_count(env_.report, call, span, static_cast<size_t>(least),
                     static_cast<size_t>(most))) {
      return {};
    }
    return built_in(op, call, span, expected);
  }
  if (const auto to = conversion_target(name, real_)) return conversion(*to, call, span);
  const Declaration* declaration = env_.use(name, call.callee.span);
  if (!declaration) {
    if (const auto what = coordinate_named(name)) {
      return check_count(env_.report, call, span, 1, 1) ? coordinate(*what, call, span) : Value{};
    }
    std::vector<std::string> known = {"position", "origin", "spacing", "sign", "lshr", "random"};
    for (const auto& [built_in, row] : built_ins()) known.emplace_back(built_in);
    env_.unknown_name(Foreign::Function, name, call.callee.span, known);
    return {};
  }
  if (declaration->broken) return {};
  if (declaration->kind != Declared::Function) {
    Diagnostic& error =
        env_.report.error("S005", call.callee.span, fmt::format("'{}' is not a function", name));
    error.found = describe(declaration->kind);
    if (declaration->kind == Declared::Field) {
      error.hint = hint_of_called_field(call);
      env_.report.explain_names(span);
    } else if (declaration->kind == Declared::Param && call.arguments.size() == 1) {
      error.hint = fmt::format("an operator is missing: {} * (...)", name);
    }
    return {};
  }
  return apply_function(declaration->index, call, span, shift);
}

Value Elaborator::built_in(Op op, const ast::Call& call, Span span, const Type* expected) {
  std::vector<Value> operands;
  for (const ast::ExprPtr& argument : call.arguments) {
    const bool condition = op == Op::Select && operands.empty();
    operands.push_back(elaborate(*argument, condition ? nullptr : expected));
  }
  if (op == Op::Pow && operands[0].ok()) {
    Value& base = operands[0];
    const auto exponent = whole_exponent(operands[1]);
    bool typed = exponent.has_value();  // if the base is a literal, the result must stay a literal
    for (Leaf& leaf : base.leaves) {
      const auto type = arithmetic_.type_of(leaf);
      typed &= std::holds_alternative<Weak>(leaf) || (type && *type != Scalar::Bool);
      if (typed && type && is_integer(*type)) leaf = arithmetic_.as_real(leaf, span);
    }
    if (typed) return power(base, *exponent, span);
  }
  if (arity(op) == static_cast<int>(operands.size())) return arithmetic_.apply(op, operands, span);
  Value result = operands[0];  // combines several arguments of min and max from the left
  for (size_t i = 1; i < operands.size(); ++i) {
    result = arithmetic_.apply(op, {std::move(result), operands[i]}, span);
  }
  return result;
}

// Computes sign(x) as two selects. Zeros and NaN are returned unchanged.
Value Elaborator::sign(const ast::Call& call, Span span, const Type* expected) {
  if (!check_count(env_.report, call, span, 1, 1)) return {};
  Value out = elaborate(*call.arguments[0], expected);
  for (Leaf& leaf : out.leaves) {
    const Value x = Value::of_leaf(leaf);
    const auto number = [](int64_t n) { return Value::of_leaf(Constant::of_integer(n)); };
    const Value above = arithmetic_.apply(Op::Gt, {x, number(0)}, span);
    const Value below = arithmetic_.apply(Op::Lt, {x, number(0)}, span);
    const Value other = arithmetic_.apply(Op::Select, {below, number(-1), x}, span);
    const Value value = arithmetic_.apply(Op::Select, {above, number(1), other}, span);
    if (!value.ok()) return {};
    leaf = value.leaves[0];
  }
  return out;
}

// Computes lshr(x, n) as an arithmetic shift. A mask clears the bits that enter at the top.
Value Elaborator::logical_shift(const ast::Call& call, Span span) {
  if (!check_count(env_.report, call, span, 2, 2)) return {};
  const Value count = elaborate(*call.arguments[1]);
  Value out = arithmetic_.apply(Op::Shr, {elaborate(*call.arguments[0]), count}, span);
  if (!out.ok()) return {};
  for (size_t c = 0; c < out.leaves.size(); ++c) {
    const Scalar type = arithmetic_.type_of(out.leaves[c]).value_or(Scalar::I32);
    const int64_t top = 8 * size_in_bytes(type) - 1;
    const auto number = [&](int64_t n) { return Value::of_leaf(Constant::of_typed(type, n)); };
    const Leaf& by = leaf_of(count, c);
    Value mask;
    if (const auto* known = std::get_if<Constant>(&by)) {
      const int64_t bits = *known->integer & top;
      if (bits > 0) mask = number(static_cast<int64_t>((uint64_t{1} << (top + 1 - bits)) - 1));
    } else {
      // The mask keeps the bits below top - count + 1. If the count is 0, the mask keeps all bits.
      const Value above = arithmetic_.apply(Op::Sub, {number(top), Value::of_leaf(by)}, span);
      const Value most = arithmetic_.apply(Op::Shl, {number(-1), above}, span);
      const Value all = arithmetic_.apply(Op::Shl, {most, number(1)}, span);
      mask = arithmetic_.apply(Op::BitNot, {all}, span);
    }
    if (!mask.ok()) continue;
    const Value masked = arithmetic_.apply(Op::BitAnd, {Value::of_leaf(out.leaves[c]), mask}, span);
    if (!masked.ok()) return {};
    out.leaves[c] = masked.leaves[0];
  }
  return out;
}

Value Elaborator::power(const Value& base, int64_t exponent, Span span) {
  const Value one = Value::of_leaf(Constant::of_integer(1));
  if (exponent == 1 || !base.ok()) return base;
  if (exponent < 0) return arithmetic_.apply(Op::Div, {one, power(base, -exponent, span)}, span);
  if (exponent == 0) {
    Value out = base;
    for (Leaf& leaf : out.leaves) {
      const auto type = arithmetic_.type_of(leaf);
      leaf = type ? arithmetic_.convert(one, *type, span).leaves[0]
                  : Leaf(Constant{std::nullopt, std::nullopt, 1});
    }
    return out;
  }
  const Value half = power(base, exponent / 2, span);
  const Value square = arithmetic_.apply(Op::Mul, {half, half}, span);
  return exponent % 2 == 0 ? square : arithmetic_.apply(Op::Mul, {square, base}, span);
}

Value Elaborator::conversion(Scalar to, const ast::Call& call, Span span) {
  if (!check_count(env_.report, call, span, 1, 1)) return {};
  const Value value = elaborate(*call.arguments[0]);
  return arithmetic_.convert_by_name(value, to, span, call.callee.name == "real");
}

// --- Functions of the program --------------------------------------------------------------------

const FunctionInfo* Elaborator::shiftable_function(const ast::Expr& expr) const {
  const auto* call = std::get_if<ast::Call>(&expr.kind);
  const Declaration* declaration = call ? env_.find(call->callee.name) : nullptr;
  if (!declaration || declaration->kind != Declared::Function || declaration->broken)
    return nullptr;
  const FunctionInfo& function = env_.functions[declaration->index];
  return function.takes_field ? &function : nullptr;
}

// Reports S025 if `given` is a field without offsets, and the function reads its argument number
// `a` like a field although it declares a value.
bool Elaborator::passes_field_as_value(const FunctionInfo& function, size_t a,
                                       const ast::Expr& given) {
  const FieldUse use = field_use(given);
  if (!use.is_field) return false;
  if (!use.ok) return true;
  if (stands_alone(use.field)) return false;
  const ir::Field& field = env_.program.fields[use.field.field];
  const TypePtr& type = env_.field_types[use.field.field];
  const ast::Function& declared = *function.syntax;
  const ast::Identifier& argument = declared.arguments[a].name;
  const auto is_read_like_field = [&](const ast::Expr& value) {
    bool found = false;
    for_each_read(value, argument.name, [&](const ast::Bracket* bracket) {
      // `u[1]` may also select a component of a vector
      found |= !bracket || type->scalar() ||
               (field.box.rank() > 1 && bracket->indices.size() == field.box.ranges.size());
    });
    for_each_call(value, [&](const ast::Call& call) {
      const Declaration* callee = env_.find(call.callee.name);
      if (!callee || callee->kind != Declared::Function || callee->unparsed) return;
      const auto& formal = env_.functions[callee->index].syntax->arguments;
      for (size_t i = 0; i < std::min(formal.size(), call.arguments.size()); ++i) {
        const auto* name = std::get_if<ast::Name>(&call.arguments[i]->kind);
        found |= formal[i].is_field && name && name->name == argument.name;
      }
    });
    return found;
  };
  bool found = is_read_like_field(*declared.value);
  for (const ast::Let& let : declared.lets) found |= is_read_like_field(*let.value);
  if (!found) return false;
  Diagnostic& error = env_.report.error(
      "S025", given.span,
      fmt::format("'{}' is a field, but argument '{}' of '{}' is not declared as one",
                  env_.text(given.span), argument.name, declared.name.name));
  error.related.push_back({argument.span, "declared here as a value"});
  error.hint = declare_as_field(declared, argument.name);
  return true;
}

std::string Elaborator::declare_as_field(const ast::Function& function,
                                         const std::string& argument) const {
  std::string list;
  for (const auto& each : function.arguments) {
    list += (list.empty() ? "" : ", ") + each.name.name;
    if (each.is_field || each.name.name == argument) list += " : field";
    if (each.type && each.name.name != argument) list += " : " + env_.text(each.type->span);
  }
  return fmt::format("declare the argument as a field: function {}({})", function.name.name, list);
}

// The argument of the current function that `expr` names, if it is declared as a value.
const ast::Identifier* Elaborator::value_argument(const ast::Expr& expr) const {
  const auto* name = std::get_if<ast::Name>(&expr.kind);
  const auto current = static_cast<size_t>(current_function_);
  if (!name || current >= env_.functions.size()) return nullptr;
  for (const auto& argument : env_.functions[current].syntax->arguments) {
    if (argument.name.name == name->name && !argument.is_field) return &argument.name;
  }
  return nullptr;
}

// Reports S025 if `base`, which stands in front of offsets or where a field is required, is an
// argument that is declared as a value. Each argument is reported once.
bool Elaborator::reads_value_like_field(const ast::Expr& base, Span span) {
  const ast::Identifier* argument = value_argument(base);
  if (!argument) return false;
  const ast::Function& function = *env_.functions[current_function_].syntax;
  Diagnostic& error = env_.report.error(
      "S025", argument->span,
      fmt::format("'{}' reads its argument '{}' like a field, but declares it as a value",
                  function.name.name, argument->name));
  error.related.push_back({span, "read here"});
  if (!applied_at_.empty()) error.related.push_back({applied_at_.back(), "applied here"});
  error.hint = declare_as_field(function, argument->name) + ", and pass a field without offsets";
  return true;
}

Value Elaborator::apply_function(int index, const ast::Call& call, Span span,
                                 const std::vector<int>* shift) {
  if (index >= current_function_) return {};  // use() has reported the error
  const FunctionInfo& function = env_.functions[index];
  const auto& arguments = function.syntax->arguments;
  if (!check_count(env_.report, call, span, arguments.size(), arguments.size())) return {};

  Frame frame;
  std::vector<int64_t> key{index, static_cast<int64_t>(arithmetic_.fallback())};
  bool ok = true;
  for (size_t a = 0; a < arguments.size(); ++a) {
    const ast::Expr& given = *call.arguments[a];
    if (arguments[a].is_field) {
      const FieldUse use = field_use(given);
      if (!use.is_field && !reads_value_like_field(given, given.span)) {
        Diagnostic& error =
            env_.report.error("S025", given.span,
                              fmt::format("argument '{}' must be a field", arguments[a].name.name));
        error.expected = "the name of a field, or a level of one, without offsets";
        error.found = env_.text(given.span);
      }
      ok &= use.ok;
      key.insert(key.end(), {use.field.field, use.field.level});
      frame.names.insert_or_assign(arguments[a].name.name, use.field);
    } else if (passes_field_as_value(function, a, given)) {
      ok = false;
    } else {
      Value value = elaborate(given);
      ok &= value.ok();
      append_key(key, value);
      frame.names.insert_or_assign(arguments[a].name.name, std::move(value));
    }
  }
  std::vector<int> total = shift ? *shift : shift_;
  if (!ok) return {};
  for (int offset : total) key.push_back(offset);
  if (const auto known = applications_.find(key); known != applications_.end())
    return known->second;

  Frame* const caller_frame = std::exchange(frame_, &frame);
  std::vector<int> caller_shift = std::exchange(shift_, std::move(total));
  const int caller = std::exchange(current_function_, index);
  applied_at_.push_back(span);
  bind_lets(function.used_lets);
  Value result = elaborate(*function.syntax->value);
  applied_at_.pop_back();
  current_function_ = caller;
  shift_ = std::move(caller_shift);
  frame_ = caller_frame;
  applications_.emplace(std::move(key), result);
  return result;
}

// --- Comprehensions ------------------------------------------------------------------------------

bool Elaborator::unroll(const ast::Comprehension& comprehension, size_t binder,
                        std::unordered_map<std::string, Binding>& names, const Type* expected,
                        std::vector<Value>& terms) {
  if (binder == comprehension.binders.size()) {
    terms.push_back(elaborate(*comprehension.body, expected));
    return terms.back().ok();
  }
  const ast::Binder& range = comprehension.binders[binder];
  const auto low = constant_integer(*range.low, "a comprehension bound");
  const auto high = constant_integer(*range.high, "a comprehension bound");
  if (!low || !high) return false;
  for (int64_t value = *low; value <= *high; ++value) {
    if (exhausted(range.name.span)) return false;
    names.insert_or_assign(range.name.name, Value::of_leaf(Constant::of_integer(value)));
    if (!unroll(comprehension, binder + 1, names, expected, terms)) return false;
    if (value == *high) break;  // avoids an overflow if `high` is the largest integer
  }
  names.erase(range.name.name);
  return true;
}

Value Elaborator::comprehension(const ast::Comprehension& comprehension, Span span,
                                const Type* expected) {
  const std::string& reducer = comprehension.reducer.name;
  const std::optional<Op> op = reducing_operation(reducer);
  const bool vector = reducer == "vector";
  if (!op && !vector) {
    Diagnostic& error = env_.report.error("S038", comprehension.reducer.span,
                                          fmt::format("unknown comprehension '{}'", reducer));
    error.expected = "sum, prod, min, max or vector";
    return {};
  }
  if (comprehension.binders.size() > kMaxBinders) {
    env_.report.error("S030", span, "too many comprehension variables").expected =
        fmt::format("at most {}", kMaxBinders);
    return {};
  }
  Frame frame;
  frame.parent = frame_;
  std::set<std::string> own;
  for (const ast::Binder& binder : comprehension.binders) {
    if (!env_.check_local_name(binder.name)) return {};
    if (!find_local(binder.name.name) && own.insert(binder.name.name).second) continue;
    env_.report.error("S002", binder.name.span,
                      fmt::format("'{}' is already a local name", binder.name.name));
    return {};
  }
  const Type* body = expected;
  if (vector) {
    const auto* type = expected ? std::get_if<VectorType>(&expected->kind) : nullptr;
    body = type ? type->element.get() : nullptr;
  }
  std::vector<Value> terms;
  Frame* const outer = std::exchange(frame_, &frame);
  const bool ok = unroll(comprehension, 0, frame.names, body, terms);
  frame_ = outer;
  if (!ok) return {};
  if (vector) return vector_of(terms, span);
  if (terms.empty() && (*op == Op::Add || *op == Op::Mul)) {
    return Value::of_leaf(Constant::of_integer(*op == Op::Add ? 0 : 1));
  }
  if (terms.empty()) {
    env_.report.error("S038", span, fmt::format("'{}' over an empty range", reducer));
    return {};
  }
  Value result = std::move(terms[0]);
  for (size_t t = 1; t < terms.size(); ++t) {
    result = arithmetic_.apply(*op, {std::move(result), std::move(terms[t])}, span);
  }
  return result;
}

Value Elaborator::vector_of(const std::vector<Value>& elements, Span span) {
  Value result;
  for (const Value& element : elements) {
    if (!same_shape(*element.type, *elements[0].type)) {
      env_.report.error("S019", span, "elements of different shape").expected =
          describe(*elements[0].type);
      return {};
    }
    result.leaves.insert(result.leaves.end(), element.leaves.begin(), element.leaves.end());
  }
  if (!elements.empty()) {
    result.type =
        vector_type(static_cast<int64_t>(elements.size()), elements[0].type, kMaxTableEntries);
  }
  if (!result.type) {
    env_.report.error("S030", span, "a vector must have a length").expected =
        fmt::format("1 to {} scalars", kMaxTableEntries);
  }
  return result;
}

}  // namespace stencil::sema
