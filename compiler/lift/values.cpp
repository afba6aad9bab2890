// Writes values with the types of C. Conversions become calls. The language has no literals of type
// float. If no operand determines the type of a literal, the literal is therefore written with full
// precision.
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

// The double with the fewest digits that rounds to this float.
double short_form(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr;
  double out = value;
  std::from_chars(text, end, out);
  return static_cast<double>(static_cast<float>(out)) == value ? out : value;
}

}  // namespace

CScalar computed_type(CScalar type) {
  if (is_floating(type)) return type;
  return bits_of(type) == 64 || type == CScalar::U32 ? CScalar::I64 : CScalar::I32;
}

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
    if (x->integer == INT64_MIN) return make_binary("-", make_integer(-INT64_MAX), make_integer(1));
    return make_integer(x->integer);
  }
  if (!std::isfinite(x->real)) refuse("a constant that is not finite");
  const bool negative = std::signbit(x->real);
  double value = std::abs(x->real);
  if (x->type == CScalar::F32 && known) value = short_form(value);
  ExprPtr number = made(ast::Number{false, 0, value});
  if (negative) return made(ast::Unary{Op::Neg, std::move(number)});
  return number;
}

ExprPtr ValueWriter::converted(CScalar type, ExprPtr value) {
  std::vector<ExprPtr> argument;
  argument.push_back(std::move(value));
  return make_call(type_name(type), std::move(argument));
}

// True for constants, and for unary operators other than `!` on constants. They become literals,
// which have no type in the language. An expression that consists only of literals gets its type
// from an explicit conversion.
bool ValueWriter::is_literal(X x) {
  return is_constant(x) || (x->kind == XKind::Unary && x->text != "!" && is_literal(x->args[0]));
}

// Writes an integer and omits conversions that preserve its value.
ExprPtr ValueWriter::integer(X x) {
  while (x->kind == XKind::Cast && is_integer(x->args[0]->type) && names.count(x) == 0 &&
         ((sizes_ && bits_of(x->type) >= 32) ||
          ranges_.of(x->args[0]).within(range_of_type(x->type)))) {
    x = x->args[0];
  }
  if (x->kind == XKind::Index) return leaf_(x);
  return value(x);
}

// Writes the low bits of an integer as a signed or unsigned number of `type`. `wide`: `of` is a
// long.
ExprPtr ValueWriter::low_bits(ExprPtr of, CScalar type, bool wide) {
  const int bits = bits_of(type);
  if (is_unsigned(type))
    return make_binary("&", std::move(of), make_integer((int64_t{1} << bits) - 1));
  if (sizes_) {  // Intermediate results must not contain constants that exceed their type.
    const int64_t half = int64_t{1} << (bits - 1);
    return make_binary("-",
                       make_binary("&", make_binary("+", std::move(of), make_integer(half)),
                                   make_integer(2 * half - 1)),
                       make_integer(half));
  }
  const int away = (wide ? 64 : 32) - bits;
  return make_binary(">>", make_binary("<<", std::move(of), make_integer(away)),
                     make_integer(away));
}

// The language has signed integers of 32 and 64 bits, and their results are unspecified on
// overflow. An unsigned int is written as a long from 0 to 2^32 - 1. An unsigned long is written as
// a long with equal bits.
ExprPtr ValueWriter::binary(X x) {
  X a = x->args[0], b = x->args[1];
  const bool shift = x->text == "<<" || x->text == ">>";
  if (is_integer(a->type) && is_comparison(x->text)) return integer_comparison(x);
  ExprPtr left = value(a, !is_literal(b) && !shift), right;
  if (is_literal(a) && (is_literal(b) || shift))
    left = converted(computed_type(x->type), std::move(left));
  if (shift) {  // only the left operand determines the type
    right = is_literal(b) ? value(b) : integer(b);
    const bool wider =
        computed_type(b->type) == CScalar::I64 && computed_type(x->type) == CScalar::I32;
    if (wider && !is_literal(b)) right = converted(CScalar::I32, std::move(right));
  } else {
    right = value(b, !is_literal(a));
  }
  if (sizes_ || !is_unsigned(x->type) || bits_of(x->type) < 32)
    return make_binary(x->text, std::move(left), std::move(right));
  return unsigned_operation(x, std::move(left), std::move(right));
}

// The low 32 bits of a product of two unsigned ints. The second operand is split into halves, so
// that no intermediate result reaches 2^63.
ExprPtr ValueWriter::long_product(X a, X b, ExprPtr left, ExprPtr right) {
  constexpr int64_t kLow = 65535;
  const auto again = [&](X x) {
    return is_literal(x) ? converted(CScalar::I64, value(x)) : value(x);
  };
  const auto is_number = [](X x) { return x->kind == XKind::Int; };
  ExprPtr low_half = is_number(b) ? make_integer(b->integer & kLow)
                                  : make_binary("&", std::move(right), make_integer(kLow));
  ExprPtr high_half =
      is_number(b) ? make_integer(b->integer >> 16) : make_binary(">>", again(b), make_integer(16));
  ExprPtr low = make_binary("*", std::move(left), std::move(low_half));
  ExprPtr high =
      make_binary("&", make_binary("*", again(a), std::move(high_half)), make_integer(kLow));
  ExprPtr sum =
      make_binary("+", std::move(low), make_binary("<<", std::move(high), make_integer(16)));
  return low_bits(std::move(sum), CScalar::U32, true);
}

ExprPtr ValueWriter::unsigned_operation(X x, ExprPtr left, ExprPtr right) {
  const std::string& op = x->text;
  const auto below = [&](X y, int bits) { return ranges_.of(y).high < std::ldexp(1.0L, bits); };
  X a = x->args[0], b = x->args[1];
  if (x->type == CScalar::U64) {
    const bool plain = below(a, 63) && below(b, 63);
    if (op == ">>") {
      if (below(a, 63)) return make_binary(op, std::move(left), std::move(right));
      std::vector<ExprPtr> both;
      both.push_back(std::move(left));
      both.push_back(std::move(right));
      return make_call("lshr", std::move(both));
    }
    if ((op == "/" || op == "%") && !plain)
      refuse("a quotient of unsigned numbers that may reach 2^63");
    if (op == "*" && ranges_.exact(x).high >= std::ldexp(1.0L, 63))
      refuse("a product of unsigned numbers that may reach 2^63",
             "convert to a signed type, or to floating point, first");
    if (op == "+" && ranges_.exact(x).high >= std::ldexp(1.0L, 63) && ranges_.wraps(x)) {
      refuse("a sum of unsigned numbers that may reach 2^63",
             "convert to a signed type, or to floating point, first");
    }
    return make_binary(op, std::move(left), std::move(right));
  }
  if (op == "*" && ranges_.exact(x).high >= std::ldexp(1.0L, 63))
    return long_product(a, b, std::move(left), std::move(right));
  const bool wraps = (op == "+" || op == "-" || op == "*" || op == "<<") && ranges_.wraps(x);
  ExprPtr out = make_binary(op, std::move(left), std::move(right));
  return wraps ? low_bits(std::move(out), x->type, true) : std::move(out);
}

ExprPtr ValueWriter::integer_comparison(X x) {
  X a = x->args[0], b = x->args[1];
  const bool order = x->text != "==" && x->text != "!=";
  const auto large = [&](X y) { return ranges_.of(y).high >= std::ldexp(1.0L, 63); };
  if (!sizes_ && order && a->type == CScalar::U64 && (large(a) || large(b))) {
    // With inverted top bits, a signed comparison gives the result of the unsigned comparison.
    const auto turned = [&](X y) {
      ExprPtr top = make_binary("-", make_integer(-INT64_MAX), make_integer(1));
      ExprPtr plain = is_literal(y) ? converted(CScalar::I64, value(y)) : value(y);
      return make_binary("^", std::move(plain), std::move(top));
    };
    ExprPtr left = turned(a);
    return make_binary(x->text, std::move(left), turned(b));
  }
  ExprPtr left = integer(a), right = integer(b);
  if (is_literal(a) && is_literal(b)) left = converted(computed_type(a->type), std::move(left));
  return make_binary(x->text, std::move(left), std::move(right));
}

// Converts an unsigned number whose top bit may be set: converts half of the number and doubles the
// result. The lost bit is kept as a sticky bit, so the half rounds like the whole number.
ExprPtr ValueWriter::floating_from_unsigned(X from, CScalar to) {
  std::vector<ExprPtr> by, choice;
  by.push_back(value(from));
  by.push_back(make_integer(1));
  ExprPtr last = make_binary("&", value(from), make_integer(1));
  ExprPtr half = make_binary("|", make_call("lshr", std::move(by)), std::move(last));
  ExprPtr twice = converted(to, std::move(half));
  choice.push_back(make_binary("<", value(from), make_integer(0)));
  choice.push_back(make_binary("*", std::move(twice), made(ast::Number{false, 0, 2.0})));
  choice.push_back(converted(to, value(from)));
  return make_call("select", std::move(choice));
}

ExprPtr ValueWriter::cast(X x) {
  X from = x->args[0];
  const CScalar to = computed_type(x->type), of = computed_type(from->type);
  if (is_condition(from)) return converted(to, condition(from));
  if (is_floating(x->type)) {
    if (to == of) return value(from);
    if (from->type == CScalar::U64 && !sizes_ && ranges_.of(from).high >= std::ldexp(1.0L, 63))
      return floating_from_unsigned(from, to);
    if (is_integer(from->type) && !is_literal(from)) return converted(to, integer(from));
    return converted(to, value(from));
  }
  const bool floating = is_floating(from->type);
  const bool narrow = bits_of(x->type) < 32;
  if (floating) {
    if (x->type == CScalar::U64)
      refuse(
          "a conversion from floating point to unsigned long has no counterpart in the language");
    ExprPtr whole = converted(to, value(from));
    const bool whole_type = x->type == CScalar::I32 || x->type == CScalar::I64;
    return whole_type ? std::move(whole) : low_bits(std::move(whole), x->type, to == CScalar::I64);
  }
  const bool keeps = ranges_.of(from).within(range_of_type(x->type));
  // Sizes fit in 32 bits. A conversion to a narrower type keeps their low bits.
  if (sizes_)
    return keeps || !narrow ? integer(from) : low_bits(integer(from), x->type, of == CScalar::I64);
  if (from->kind == XKind::Index && keeps)
    return to == CScalar::I64 ? converted(to, leaf_(from)) : leaf_(from);
  if (keeps) return to == of ? value(from) : converted(to, integer(from));
  if (x->type == CScalar::I64 || x->type == CScalar::U64)  // equal bits
    return of == CScalar::I64 ? value(from) : converted(CScalar::I64, integer(from));
  if (x->type == CScalar::U32) {
    ExprPtr wide = of == CScalar::I64 ? value(from) : converted(CScalar::I64, integer(from));
    return low_bits(std::move(wide), x->type, true);
  }
  const bool wide = of == CScalar::I64;
  ExprPtr low = low_bits(value(from), narrow ? x->type : CScalar::I32, wide);
  return wide ? converted(CScalar::I32, std::move(low)) : std::move(low);
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
    // If one operand is a NaN, the result is the other operand.
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
  // A call that has only literals as arguments needs an explicit type.
  if (std::all_of(x->args.begin(), x->args.end(), is_constant)) {
    std::vector<ExprPtr> first;
    first.push_back(std::move(arguments[0]));
    arguments[0] = make_call(type_name(x->type), std::move(first));
  }
  return make_call(x->text, std::move(arguments));
}

void ValueWriter::count() {
  if (++size_ <= 100000) return;
  throw Refusal{"C024", place_, "an expression has more than 100000 operations", "split the loop"};
}

ExprPtr ValueWriter::condition(X x) {
  count();
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
  if (is_integer(x->type)) return make_binary("!=", integer(x), make_integer(0));
  return make_binary("!=", value(x), make_integer(0));
}

ExprPtr ValueWriter::value(X x, bool known) {
  count();
  if (const auto named = names.find(x); named != names.end()) {
    ExprPtr name = make_name(named->second);
    return is_condition(x) ? converted(CScalar::I32, std::move(name)) : std::move(name);
  }
  if (ExprPtr written = leaf_(x)) {
    const bool counter = x->kind == XKind::Index && !sizes_;
    return counter ? converted(CScalar::I64, std::move(written)) : std::move(written);
  }
  switch (x->kind) {
    case XKind::Int:
    case XKind::Real:
      return literal(x, known);
    case XKind::Unary: {
      if (is_condition(x)) break;
      const Op op = x->text == "-" ? Op::Neg : Op::BitNot;
      ExprPtr out = made(ast::Unary{op, value(x->args[0], known)});
      const bool wraps =
          x->type == CScalar::U32 && !sizes_ && (op == Op::BitNot || ranges_.wraps(x));
      return wraps ? low_bits(std::move(out), x->type, true) : std::move(out);
    }
    case XKind::Binary:
      if (is_condition(x)) break;
      return binary(x);
    case XKind::Cast:
      return cast(x);
    case XKind::Select: {
      std::vector<ExprPtr> arguments;
      arguments.push_back(condition(x->args[0]));
      arguments.push_back(value(x->args[1], known || !is_literal(x->args[2])));
      arguments.push_back(value(x->args[2], known || !is_literal(x->args[1])));
      // A select of two literals needs an explicit type, too.
      const bool literals = is_literal(x->args[1]) && is_literal(x->args[2]);
      if (literals && !known && x->type != CScalar::F64)
        arguments[1] = converted(computed_type(x->type), std::move(arguments[1]));
      return make_call("select", std::move(arguments));
    }
    case XKind::Call:
      return call(x);
    case XKind::Unknown:
      refuse("a value cannot be determined: " + x->text);
    default:
      refuse("a value that has no counterpart in the language: " + describe(x));
  }
  // The condition is used as a number.
  std::vector<ExprPtr> argument;
  argument.push_back(condition(x));
  return make_call("integer", std::move(argument));
}

}  // namespace stencil::lifter
