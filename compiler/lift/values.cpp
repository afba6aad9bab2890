// The types of C are kept: conversions become calls, and a literal that no operand gives a type is
// written with all digits of its own, since the language has no literals of type float.
#include "compiler/lift/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "compiler/syntax/operators.h"

namespace stencil::lifter {

using ast::ExprPtr;

namespace {

template <class Kind>
ExprPtr made(Kind kind) {
  auto out = std::make_unique<ast::Expr>();
  out->kind = std::move(kind);
  return out;
}

std::optional<Op> operator_of(const std::string& op) {
  static const std::map<std::string, Op> kOps = {
      {"+", Op::Add},    {"-", Op::Sub},  {"*", Op::Mul}, {"/", Op::Div},    {"%", Op::Mod},
      {"==", Op::Eq},    {"!=", Op::Ne},  {"<", Op::Lt},  {"<=", Op::Le},    {">", Op::Gt},
      {">=", Op::Ge},    {"&&", Op::And}, {"||", Op::Or}, {"&", Op::BitAnd}, {"|", Op::BitOr},
      {"^", Op::BitXor}, {"<<", Op::Shl}, {">>", Op::Shr}};
  const auto found = kOps.find(op);
  return found == kOps.end() ? std::nullopt : std::optional(found->second);
}

// What the language computes a value of this type in.
CScalar computed(CScalar type) {
  if (is_floating(type)) return type;
  return bits_of(type) == 64 || type == CScalar::U32 ? CScalar::I64 : CScalar::I32;
}

// The double that is written with the fewest digits and is this float once rounded.
double short_form(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr;
  double out = value;
  std::from_chars(text, end, out);
  return static_cast<double>(static_cast<float>(out)) == value ? out : value;
}

}  // namespace

ast::Identifier make_identifier(const std::string& name) {
  return {name, {}};
}
ExprPtr make_name(const std::string& name) {
  return made(ast::Name{name});
}
ExprPtr make_integer(int64_t value) {
  if (value < 0) return made(ast::Unary{Op::Neg, make_integer(-value)});
  return made(ast::Number{true, value, static_cast<double>(value)});
}
ExprPtr make_call(const std::string& name, std::vector<ExprPtr> arguments) {
  return made(ast::Call{make_identifier(name), std::move(arguments)});
}
ExprPtr make_binary(const std::string& op, ExprPtr left, ExprPtr right) {
  return made(ast::Binary{*operator_of(op), std::move(left), std::move(right)});
}

std::string type_name(CScalar type) {
  switch (type) {
    case CScalar::F32:
      return "float";
    case CScalar::F64:
      return "double";
    case CScalar::I32:
      return "integer";
    case CScalar::I64:
      return "long";
    case CScalar::I16:
      return "short";
    case CScalar::U16:
      return "ushort";
    case CScalar::I8:
      return "byte";
    case CScalar::U8:
    case CScalar::Bool:
      return "ubyte";
    default:
      return "";
  }
}

void ValueWriter::refuse(const std::string& message, const std::string& hint) const {
  throw Refusal{"C023", place_, message, hint};
}

ExprPtr ValueWriter::literal(X x, bool known) {
  if (x->kind == XKind::Int) {
    if (x->integer == INT64_MIN) refuse("the least 64-bit integer");
    return make_integer(x->integer);
  }
  if (!std::isfinite(x->real)) refuse("a constant that is no finite number");
  const bool negative = std::signbit(x->real);
  double value = std::abs(x->real);
  if (x->type == CScalar::F32 && known) value = short_form(value);
  ExprPtr number = made(ast::Number{false, 0, value});
  if (negative) return made(ast::Unary{Op::Neg, std::move(number)});
  return number;
}

ExprPtr ValueWriter::binary(X x) {
  X a = x->args[0], b = x->args[1];
  const auto has_type = [](X y) {
    return y->kind != XKind::Real && y->kind != XKind::Int && y->kind != XKind::Select &&
           y->kind != XKind::Unary;
  };
  const bool shift = x->text == "<<" || x->text == ">>";
  for (X side : {a, b}) {
    if (!is_unsigned(side->type) || bits_of(side->type) < 32) continue;
    bool data = false;
    each_node(side, [&](X n) { data = data || n->kind == XKind::Load; });
    if (data && x->text != "==" && x->text != "!=") {
      refuse("arithmetic of unsigned integers on data", "the language has signed integers alone");
    }
  }
  ExprPtr left = value(a, has_type(b) && !shift), right = value(b, has_type(a) && !shift);
  // `long` where C computes in 64 bits
  if (computed(x->type) == CScalar::I64 && is_integer(a->type) && !is_condition(x)) {
    if (a->kind == XKind::Index && b->kind == XKind::Index)
      left = make_call("long", [&] {
        std::vector<ExprPtr> one;
        one.push_back(std::move(left));
        return one;
      }());
  }
  return make_binary(x->text, std::move(left), std::move(right));
}

ExprPtr ValueWriter::cast(X x) {
  X from = x->args[0];
  std::vector<ExprPtr> argument;
  if (is_condition(from)) {
    argument.push_back(condition(from));
    return make_call(type_name(computed(x->type)), std::move(argument));
  }
  const CScalar to = computed(x->type), of = computed(from->type);
  const bool narrow = is_integer(x->type) && bits_of(x->type) < 32;
  if (narrow && !(is_integer(from->type) && bits_of(from->type) <= bits_of(x->type))) {
    refuse(fmt::format("a conversion to '{}' in the midst of an expression", name_of(x->type)),
           "store it in an array of that type");
  }
  if (is_integer(x->type) && is_floating(from->type) && is_unsigned(x->type)) {
    refuse("a conversion from floating point to unsigned");
  }
  const bool same = to == of && from->kind != XKind::Index;
  if (same) return value(from);
  if (from->kind == XKind::Index && is_integer(to)) {
    return value(from);
  }
  argument.push_back(value(from));
  return make_call(type_name(to), std::move(argument));
}

ExprPtr ValueWriter::call(X x) {
  std::vector<ExprPtr> arguments;
  const auto both = [&](const std::string& name) {
    std::vector<ExprPtr> two;
    two.push_back(value(x->args[0], is_constant(x->args[1]) == false));
    two.push_back(value(x->args[1], is_constant(x->args[0]) == false));
    return make_call(name, std::move(two));
  };
  if (x->text == "fmin" || x->text == "fmax") {
    // of a NaN and a number, the number
    const std::string name = x->text.substr(1);
    if (is_constant(x->args[0])) return both(name);
    arguments.push_back(make_binary("!=", value(x->args[0]), value(x->args[0])));
    arguments.push_back(value(x->args[1], true));
    arguments.push_back(both(name));
    return make_call("select", std::move(arguments));
  }
  if (x->text == "min" || x->text == "max") return both(x->text);
  if (x->text == "pow" && x->args[1]->kind == XKind::Real) {
    const double power = x->args[1]->real;
    if (power == std::floor(power) && std::abs(power) <= 16) {
      arguments.push_back(value(x->args[0]));
      arguments.push_back(make_integer(static_cast<int64_t>(power)));
      return make_call("pow", std::move(arguments));
    }
  }
  for (X arg : x->args) arguments.push_back(value(arg));
  // of numbers alone: in their type, since literals have none
  if (std::all_of(x->args.begin(), x->args.end(), is_constant)) {
    std::vector<ExprPtr> first;
    first.push_back(std::move(arguments[0]));
    arguments[0] = make_call(type_name(x->type), std::move(first));
  }
  return make_call(x->text, std::move(arguments));
}

ExprPtr ValueWriter::condition(X x) {
  if (const auto named = names.find(x); named != names.end()) return make_name(named->second);
  if (x->kind == XKind::Unary && x->text == "!") {
    return made(ast::Unary{Op::Not, condition(x->args[0])});
  }
  if (x->kind == XKind::Binary && (x->text == "&&" || x->text == "||")) {
    ExprPtr left = condition(x->args[0]);
    return make_binary(x->text, std::move(left), condition(x->args[1]));
  }
  if (is_condition(x)) return binary(x);
  if (x->kind == XKind::Int) return made(ast::Boolean{x->integer != 0});
  return make_binary("!=", value(x), make_integer(0));
}

ExprPtr ValueWriter::value(X x, bool known) {
  if (++size_ > 100000) {
    throw Refusal{"C024", place_, "an expression has more than 100000 operations",
                  "split the loop"};
  }
  if (const auto named = names.find(x); named != names.end()) return make_name(named->second);
  if (ExprPtr written = leaf_(x)) return written;
  switch (x->kind) {
    case XKind::Int:
    case XKind::Real:
      return literal(x, known);
    case XKind::Unary: {
      if (is_condition(x)) break;
      const Op op = x->text == "-" ? Op::Neg : Op::BitNot;
      return made(ast::Unary{op, value(x->args[0], known)});
    }
    case XKind::Binary:
      if (is_condition(x)) break;
      return binary(x);
    case XKind::Cast:
      return cast(x);
    case XKind::Select: {
      std::vector<ExprPtr> arguments;
      arguments.push_back(condition(x->args[0]));
      const auto typed = [](X y) {
        return !is_constant(y) && y->kind != XKind::Unary && y->kind != XKind::Select;
      };
      arguments.push_back(value(x->args[1], known || typed(x->args[2])));
      arguments.push_back(value(x->args[2], known || typed(x->args[1])));
      // a choice of literals has no type either
      if (!known && x->type == CScalar::F32 && is_constant(x->args[1]) && is_constant(x->args[2])) {
        std::vector<ExprPtr> first;
        first.push_back(std::move(arguments[1]));
        arguments[1] = make_call(type_name(x->type), std::move(first));
      }
      return make_call("select", std::move(arguments));
    }
    case XKind::Call:
      return call(x);
    case XKind::Unknown:
      refuse("a value is not known: " + x->text);
    default:
      refuse("a value that has no counterpart in the language: " + describe(x));
  }
  // a condition as a number
  std::vector<ExprPtr> argument;
  argument.push_back(condition(x));
  return make_call("integer", std::move(argument));
}

}  // namespace stencil::lifter
