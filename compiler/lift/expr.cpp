// Value graphs and constant folding by the rules of C. Clang makes conversions explicit, so
// operands already have the type of the operation. Signed integers wrap around here. This is
// correct because a C program with signed overflow is undefined.
#include "compiler/lift/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace stencil::lifter {

bool is_comparison(const std::string& op) {
  return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

namespace {

int64_t wrapped(int64_t value, CScalar type) {
  switch (type) {
    case CScalar::Bool:
      return value != 0;
    case CScalar::I8:
      return static_cast<int8_t>(value);
    case CScalar::U8:
      return static_cast<uint8_t>(value);
    case CScalar::I16:
      return static_cast<int16_t>(value);
    case CScalar::U16:
      return static_cast<uint16_t>(value);
    case CScalar::I32:
      return static_cast<int32_t>(value);
    case CScalar::U32:
      return static_cast<uint32_t>(value);
    default:
      return value;
  }
}

double rounded(double value, CScalar type) {
  return type == CScalar::F32 ? static_cast<float>(value) : value;
}

template <class T>
bool compared(const std::string& op, T a, T b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  return a != b;
}

std::optional<int64_t> folded(const std::string& op, int64_t a, int64_t b, CScalar type) {
  const auto u = [](int64_t v) { return static_cast<uint64_t>(v); };
  if (op == "+") return static_cast<int64_t>(u(a) + u(b));
  if (op == "-") return static_cast<int64_t>(u(a) - u(b));
  if (op == "*") return static_cast<int64_t>(u(a) * u(b));
  if (op == "/" || op == "%") {
    if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
    if (type == CScalar::U64) {
      return static_cast<int64_t>(op == "/" ? u(a) / u(b) : u(a) % u(b));
    }
    return op == "/" ? a / b : a % b;
  }
  if (op == "<<" || op == ">>") {
    if (b < 0 || b >= bits_of(type)) return std::nullopt;
    if (op == "<<") return static_cast<int64_t>(u(a) << b);
    return type == CScalar::U64 ? static_cast<int64_t>(u(a) >> b) : a >> b;
  }
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "||") return a != 0 || b != 0;
  return std::nullopt;
}

std::optional<double> folded(const std::string& op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  return std::nullopt;
}

}  // namespace

X Pool::unique(XNode node) {
  std::string key;
  const auto number = [&](int64_t value) { key += std::to_string(value) + ' '; };
  number(static_cast<int64_t>(node.kind));
  number(static_cast<int64_t>(node.type));
  number(node.integer);
  int64_t bits;
  std::memcpy(&bits, &node.real, sizeof bits);
  number(bits);
  number(node.id);
  for (X arg : node.args) number(static_cast<int64_t>(reinterpret_cast<intptr_t>(arg)));
  key += ';';
  for (int id : node.ids) number(id);
  key += node.text;
  auto& entry = nodes_[key];
  if (!entry) {
    node.order = static_cast<int>(nodes_.size());
    entry = std::make_unique<XNode>(std::move(node));
  }
  return entry.get();
}

X Pool::integer(int64_t value, CScalar type) {
  if (is_floating(type)) return real(static_cast<double>(value), type);
  return unique({.kind = XKind::Int, .type = type, .integer = wrapped(value, type)});
}
X Pool::real(double value, CScalar type) {
  return unique({.kind = XKind::Real, .type = type, .real = rounded(value, type)});
}
X Pool::leaf(XKind kind, CScalar type, int id, const std::string& text) {
  return unique({.kind = kind, .type = type, .text = text, .id = id});
}
X Pool::load(int array, std::vector<X> subscripts, CScalar type, int64_t when) {
  return unique({.kind = XKind::Load,
                 .type = type,
                 .integer = when,
                 .id = array,
                 .args = std::move(subscripts)});
}
X Pool::unknown(const std::string& why, CScalar type) {
  return unique({.kind = XKind::Unknown, .type = type, .text = why});
}
X Pool::sum(const std::string& op, X value, std::vector<int> ids) {
  return unique({.kind = XKind::Sum,
                 .type = value->type,
                 .text = op,
                 .args = {value},
                 .ids = std::move(ids)});
}

X Pool::edge(const std::string& rule, int64_t offset, X index, X length) {
  return unique({.kind = XKind::Edge,
                 .type = CScalar::I64,
                 .text = rule,
                 .integer = offset,
                 .args = {index, length}});
}

X Pool::unary(const std::string& op, X a, CScalar type) {
  if (a->kind == XKind::Unknown) return unknown(a->text, type);
  if (a->kind == XKind::Int) {
    if (op == "-") return integer(static_cast<int64_t>(-static_cast<uint64_t>(a->integer)), type);
    if (op == "~") return integer(~a->integer, type);
    if (op == "!") return integer(a->integer == 0, type);
  }
  if (a->kind == XKind::Real && op == "-") return real(-a->real, type);
  if (a->kind == XKind::Real && op == "!") return integer(a->real == 0, type);
  return unique({.kind = XKind::Unary, .type = type, .text = op, .args = {a}});
}

X Pool::binary(const std::string& op, X a, X b, CScalar type) {
  if (op == "&&" || op == "||") {
    const int64_t absorbing = op == "&&" ? 0 : 1;
    for (X x : {a, b}) {
      if (x->kind == XKind::Int && (x->integer != 0) == (absorbing != 0)) {
        return integer(absorbing, type);
      }
    }
    if (a->kind == XKind::Int) return truth(b);
    if (b->kind == XKind::Int) return truth(a);
  }
  for (X x : {a, b}) {
    if (x->kind == XKind::Unknown) return unknown(x->text, type);
  }
  if (a->kind == XKind::Int && b->kind == XKind::Int) {
    if (is_comparison(op)) {
      const bool wide = is_unsigned(a->type) && bits_of(a->type) == 64;
      return integer(
          wide ? compared(op, static_cast<uint64_t>(a->integer), static_cast<uint64_t>(b->integer))
               : compared(op, a->integer, b->integer),
          type);
    }
    if (const auto value = folded(op, a->integer, b->integer, type)) return integer(*value, type);
  }
  if (a->kind == XKind::Real && b->kind == XKind::Real) {
    if (is_comparison(op)) return integer(compared(op, a->real, b->real), type);
    const auto value = folded(op, a->real, b->real);
    if (value && std::isfinite(rounded(*value, type))) return real(*value, type);
  }
  if (is_integer(type) && !is_comparison(op)) {
    if (op == "+" && a->kind == XKind::Int && a->integer == 0) return b;
    if ((op == "+" || op == "-") && b->kind == XKind::Int && b->integer == 0) return a;
    if ((op == "*" || op == "/") && b->kind == XKind::Int && b->integer == 1) return a;
    if (op == "*" && a->kind == XKind::Int && a->integer == 1) return b;
    if (op == "*" && ((a->kind == XKind::Int && a->integer == 0) ||
                      (b->kind == XKind::Int && b->integer == 0))) {
      return integer(0, type);
    }
  }
  return unique({.kind = XKind::Binary, .type = type, .text = op, .args = {a, b}});
}

X Pool::cast(X a, CScalar type) {
  if (a->type == type) return a;
  if (a->kind == XKind::Unknown) return unknown(a->text, type);
  // (int)(long)k folds to k
  if (a->kind == XKind::Cast && is_integer(type) && type != CScalar::Bool && is_integer(a->type) &&
      is_integer(a->args[0]->type) && keeps_values(a->args[0]->type, a->type)) {
    return cast(a->args[0], type);
  }
  if (type == CScalar::Bool)
    return truth(a)->type == type ? truth(a) : cast(truth(a), CScalar::I32);
  if (a->kind == XKind::Int) {
    if (!is_floating(type)) return integer(a->integer, type);
    if (a->type == CScalar::U64 && a->integer < 0) {
      return real(static_cast<double>(static_cast<uint64_t>(a->integer)), type);
    }
    return type == CScalar::F32 ? real(static_cast<float>(a->integer), type)
                                : real(static_cast<double>(a->integer), type);
  }
  if (a->kind == XKind::Real) {
    if (is_floating(type)) {
      if (std::isfinite(rounded(a->real, type))) return real(a->real, type);
    } else if (std::abs(a->real) < 2147483648.0) {
      return integer(static_cast<int64_t>(a->real), type);
    }
  }
  return unique({.kind = XKind::Cast, .type = type, .args = {a}});
}

X Pool::select(X condition, X yes, X no) {
  if (condition->kind == XKind::Int) return condition->integer != 0 ? yes : no;
  if (yes == no) return yes;
  if (condition->kind == XKind::Unknown) return unknown(condition->text, yes->type);
  return unique({.kind = XKind::Select, .type = yes->type, .args = {condition, yes, no}});
}

X Pool::call(const std::string& name, std::vector<X> args, CScalar type) {
  for (X arg : args) {
    if (arg->kind == XKind::Unknown) return unknown(arg->text, type);
  }
  if (args.size() == 1 && args[0]->kind == XKind::Real && name == "sqrt" && args[0]->real >= 0) {
    return type == CScalar::F32 ? real(std::sqrt(static_cast<float>(args[0]->real)), type)
                                : real(std::sqrt(args[0]->real), type);
  }
  return unique({.kind = XKind::Call, .type = type, .text = name, .args = std::move(args)});
}

X Pool::negation(X condition) {
  if (condition->kind == XKind::Unary && condition->text == "!") return condition->args[0];
  return unary("!", condition, CScalar::I32);
}

X Pool::truth(X value) {
  if (is_condition(value)) return value;
  if (value->kind == XKind::Int) return integer(value->integer != 0);
  if (value->kind == XKind::Cast && is_condition(value->args[0])) return value->args[0];
  X zero = is_floating(value->type) ? real(0, value->type) : integer(0, value->type);
  return binary("!=", value, zero, CScalar::I32);
}

X Pool::rebuilt(X node, const std::vector<X>& args) {
  switch (node->kind) {
    case XKind::Unary:
      return unary(node->text, args[0], node->type);
    case XKind::Binary:
      return binary(node->text, args[0], args[1], node->type);
    case XKind::Cast:
      return cast(args[0], node->type);
    case XKind::Select:
      return select(args[0], args[1], args[2]);
    case XKind::Call:
      return call(node->text, args, node->type);
    default: {
      XNode copy = *node;
      copy.args = args;
      return unique(std::move(copy));
    }
  }
}

bool is_constant(X x) {
  return x->kind == XKind::Int || x->kind == XKind::Real;
}
bool is_condition(X x) {
  if (x->kind == XKind::Unary) return x->text == "!";
  if (x->kind != XKind::Binary) return false;
  return is_comparison(x->text) || x->text == "&&" || x->text == "||";
}
bool contains(X x, XKind kind) {
  bool found = false;
  each_node(x, [&](X node) { found = found || node->kind == kind; });
  return found;
}
bool contains_index(X x, int id) {
  bool found = false;
  each_node(x, [&](X n) { found = found || (n->kind == XKind::Index && n->id == id); });
  return found;
}
bool uses_index(X x) {
  bool found = false;
  std::set<X> seen;
  each_node_of(
      x, seen, [](X n) { return n->kind != XKind::Load; },
      [&](X n) { found = found || n->kind == XKind::Index; });
  return found;
}

bool keeps_values(CScalar from, CScalar to) {
  if (!is_integer(from) || !is_integer(to)) return false;
  if (to == CScalar::Bool) return from == CScalar::Bool;
  if (is_unsigned(from) == is_unsigned(to)) return bits_of(from) <= bits_of(to);
  return is_unsigned(from) && bits_of(from) < bits_of(to);
}

namespace {

constexpr int kMostDescribed = 60;  // nodes; longer expressions are truncated

std::string described(X x, int& room) {
  if (--room < 0) return "...";
  const auto arg = [&](size_t i) { return described(x->args[i], room); };
  switch (x->kind) {
    case XKind::Int:
      return std::to_string(x->integer);
    case XKind::Real:
      return fmt::format("{}", x->real);
    case XKind::Symbol:
    case XKind::Index:
    case XKind::Carried:
    case XKind::Reduced:
      return x->text;
    case XKind::Outcome:
      return x->id == kStepsTaken ? "the steps taken" : "whether it was stopped";
    case XKind::Time:
      return "time";
    case XKind::Load:
      return x->text.empty() ? "an element of an array" : x->text;
    case XKind::Unary:
      return x->text + arg(0);
    case XKind::Binary: {
      const std::string left = arg(0);
      return fmt::format("{} {} {}", left, x->text, arg(1));
    }
    case XKind::Cast:
      return arg(0);
    case XKind::Select: {
      const std::string condition = arg(0), yes = arg(1);
      return fmt::format("({} ? {} : {})", condition, yes, arg(2));
    }
    case XKind::Call:
    case XKind::Sum:
    case XKind::Edge:
      return x->text + "(...)";
    case XKind::Unknown:
      return x->text;
  }
  return "";
}

}  // namespace

std::string describe(X x) {
  int room = kMostDescribed;
  return described(x, room);
}

}  // namespace stencil::lifter
