// Conversions and stores. A value takes the type that its context needs. A literal is folded in
// double and rounded here, once. A choice of literals converts both sides. A node gets a Convert.
//
// Explicit conversions truncate. Conversions implied by a store never turn a real number into an
// integer, and they warn if they lose precision (S102). Arithmetic on half and bfloat is done in
// float; arithmetic on byte, ubyte, short and ushort is done in integer. Only a store therefore
// produces these types. A store of an integer keeps the low bits.
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "compiler/sema/arithmetic.h"
#include "compiler/support/numbers.h"
#include "compiler/syntax/token.h"

namespace stencil::sema {

// --- Conversions ---------------------------------------------------------------------------------

namespace {

// The limits of a type when rounding to nearest even. Numbers of at least `too_large` become an
// infinity, and numbers of at most `vanishes` become 0.
struct RangeOfType {
  double too_large, vanishes;
  const char* least;  // smallest positive value
};

RangeOfType range_of(Scalar type) {
  if (type == Scalar::F16) return {0x1.ffep15, 0x1p-25, "6.0e-8"};
  if (type == Scalar::BF16) return {0x1.ffp127, 0x1p-134, "9.2e-41"};
  if (type == Scalar::F32) return {0x1.ffffffp127, 0x1p-150, "1.4e-45"};
  return {std::numeric_limits<double>::infinity(), 0, "4.9e-324"};
}

// Whether the shortest decimal number for this float equals the float exactly. This holds for 0.25
// but not for 0.1.
bool is_exact_in_float(double value) {
  return parse_real(fmt::format("{}", static_cast<float>(value))) == value;
}

}  // namespace

bool Arithmetic::in_range(double number, Scalar type, Span span) {
  const RangeOfType range = range_of(type);
  const double size = std::fabs(number);
  if (!(size < range.too_large)) {
    report_.error("S012", span, fmt::format("number too large for a {}", name(type))).found =
        fmt::format("{}", number);
    return false;
  }
  if (size > 0 && size <= range.vanishes) {
    Diagnostic& warning = report_.warning(
        "S106", span, fmt::format("a number too small for a {} becomes 0", name(type)));
    warning.found = fmt::format("{}", number);
    warning.hint = fmt::format("the smallest positive {} is {}; a double goes down to 4.9e-324",
                               name(type), range.least);
  }
  return true;
}

// Checks the range of a constant that is stored in a storage type. Must run before any conversion
// changes the value of the constant.
bool Arithmetic::in_range(const Constant& constant, Scalar type, Span span) {
  if (is_float(type)) return in_range(constant.real, type, span);
  if (!constant.integer) return true;  // typed() reports a constant that is not an integer
  const IntegerRange range = integer_range(type);
  if (range.holds(*constant.integer)) return true;
  const char* how = *constant.integer < 0 ? "small" : "large";
  Diagnostic& error =
      report_.error("S012", span, fmt::format("number too {} for a {}", how, name(type)));
  error.expected = fmt::format("a value in {}..{}", range.least, range.most);
  error.found = fmt::format("{}", *constant.integer);
  return false;
}

std::optional<Constant> Arithmetic::typed(const Constant& value, Scalar to, Span span) {
  if (value.type == to) return value;
  // admissible() and storable() have reported the error.
  if (to == Scalar::Bool) return std::nullopt;
  if (is_float(to)) {
    double real = value.integer && value.type ? static_cast<double>(*value.integer) : value.real;
    if (!in_range(real, to, span)) return std::nullopt;
    if (to == Scalar::F32) real = static_cast<float>(real);
    return Constant{to, std::nullopt, real};
  }
  if (value.overflowed) {
    const IntegerRange range = integer_range(Scalar::I64);
    Diagnostic& error = report_.error("S090", span, "a result that is out of the range of 'long'");
    error.expected = fmt::format("a value in {}..{}", range.least, range.most);
    error.hint = "literals of integers are computed in 64 bits";
    return std::nullopt;
  }
  if (!value.integer) {
    Diagnostic& error = report_.error("S020", span, "a real number where an integer is needed");
    error.found = fmt::format("{}", value.real);
    error.hint = "integer(x) truncates; integer(floor(x)) rounds down";
    return std::nullopt;
  }
  if (!integer_range(to).holds(*value.integer)) {
    Diagnostic& error = report_.error("S012", span, "number too large for a 32-bit integer");
    error.found = fmt::format("{}", *value.integer);
    return std::nullopt;
  }
  return Constant::of_typed(to, *value.integer);
}

std::optional<ir::NodeId> Arithmetic::node(const Leaf& leaf, Scalar to, Span span) {
  if (const auto* constant = std::get_if<Constant>(&leaf)) {
    const std::optional<Constant> value = typed(*constant, to, span);
    if (!value) return std::nullopt;
    const ir::Constant literal{is_float(to) ? value->real : 0.0, value->integer.value_or(0)};
    if (constant->type == Scalar::F32 && to == Scalar::F64 && !leaf.meant &&
        !is_exact_in_float(constant->real)) {
      warn_of_float(span, "a constant of type float combined with a double");
    }
    return graph_.add({literal, to, span, {}});
  }
  if (const auto* weak = std::get_if<Weak>(&leaf)) return node(*weak, to, span);
  if (const auto* choice = std::get_if<Choice>(&leaf)) {
    const std::optional<ir::NodeId> if_true = node(choice->if_true, to, span);
    const std::optional<ir::NodeId> if_false = node(choice->if_false, to, span);
    if (!if_true || !if_false) return std::nullopt;
    return select(choice->condition, *if_true, *if_false, span);
  }
  const auto id = std::get<ir::NodeId>(leaf);
  if (graph_[id].type == to) return id;
  return graph_.add({ir::Operation{Op::Convert, {id}}, to, span, {}});
}

// Converts a scalar explicitly. A quotient in the scalar is then intentional and is no longer
// tracked.
std::optional<Leaf> Arithmetic::convert_scalar(const Leaf& leaf, Scalar to, Span span) {
  const std::optional<Scalar> from = type_of(leaf);
  if (from == Scalar::Bool) {
    const std::optional<Leaf> number =
        apply_scalar(Op::Select, {leaf, Constant::of_integer(1), Constant::of_integer(0)}, span);
    return number ? convert_scalar(*number, to, span) : std::nullopt;
  }
  if (const auto* weak = std::get_if<Weak>(&leaf)) {
    const auto real = node(*weak, is_float(to) ? to : fallback_, span);
    return real ? convert_scalar(*real, to, span) : std::nullopt;
  }
  if (const auto* choice = std::get_if<Choice>(&leaf)) {
    const std::optional<Leaf> if_true = convert_scalar(choice->if_true, to, span);
    const std::optional<Leaf> if_false = convert_scalar(choice->if_false, to, span);
    if (!if_true || !if_false) return std::nullopt;
    return select(choice->condition, *node(*if_true, to, span), *node(*if_false, to, span), span);
  }
  if (const auto* constant = std::get_if<Constant>(&leaf)) {
    Constant value = *constant;
    if (is_integer(to) && !value.integer &&
        !value.overflowed) {  // truncate, like the run-time conversion
      if (std::fabs(value.real) >= 0x1p62) {
        report_.error("S012", span, "number too large for an integer").found =
            fmt::format("{}", value.real);
        return std::nullopt;
      }
      value = Constant::of_integer(static_cast<int64_t>(value.real));
    }
    const std::optional<Constant> result = typed(value, to, span);
    return result ? std::optional<Leaf>(*result) : std::nullopt;
  }
  const std::optional<ir::NodeId> id = node(leaf, to, span);
  return id ? std::optional<Leaf>(*id) : std::nullopt;
}

Value Arithmetic::convert(const Value& value, Scalar to, Span span) {
  if (!value.ok()) return {};
  Value result;
  for (const Leaf& leaf : value.leaves) {
    std::optional<Leaf> converted = convert_scalar(leaf, to, span);
    if (!converted) return {};
    converted->coordinate = leaf.coordinate;
    result.leaves.push_back(*converted);
  }
  result.type = value.type;
  return result;
}

Value Arithmetic::convert_by_name(const Value& value, Scalar to, Span span, bool by_real) {
  Value result = convert(value, to, span);
  for (Leaf& leaf : result.leaves) {
    leaf.meant = !by_real;
    const auto* id = std::get_if<ir::NodeId>(&leaf);
    if (id && !by_real) meant_.insert(*id);
  }
  return result;
}

// --- Storing -------------------------------------------------------------------------------------

bool Arithmetic::storable(const Leaf& leaf, Scalar target, Span span) {
  const std::optional<Scalar> from = type_of(leaf);
  const Scalar to = arithmetic_type(target);
  if (to == Scalar::Bool) {
    if (from == Scalar::Bool) return true;
    Diagnostic& error = report_.error("S039", span, "a number where a condition is needed");
    error.expected = "a condition (a comparison, `and`, `or`, `not`, true, false)";
    error.found = describe_leaf(leaf);
    error.hint = "a comparison turns a number into a condition, as in x != 0";
    return false;
  }
  if (std::holds_alternative<Weak>(leaf) && is_integer(to)) {
    Diagnostic& error = report_.error("S020", span, "a real value where an integer is needed");
    error.expected = std::string(name(target));
    error.found = describe_leaf(leaf);
    error.hint = fmt::format("{0}(x) truncates; {0}(floor(x)) rounds down", name(to));
    return false;
  }
  if (!from) return true;  // for literals, typed() decides
  if (*from == Scalar::Bool) {
    Diagnostic& error = report_.error("S018", span, "a condition where a number is needed");
    error.hint = "select(condition, 1, 0) converts a condition to a number";
    return false;
  }
  if (is_float(*from) && is_integer(to)) {
    Diagnostic& error = report_.error("S020", span, "a real value where an integer is needed");
    error.expected = std::string(name(target));
    error.found = std::string(name(*from));
    error.hint = fmt::format("{0}(x) truncates; {0}(floor(x)) rounds down", name(to));
    return false;
  }
  warn_of_quotient(leaf, to);
  const auto* id = std::get_if<ir::NodeId>(&leaf);
  const bool to_float = *from == Scalar::F64 && to == Scalar::F32 && real_ != Scalar::F64;
  const bool to_integer = *from == Scalar::I64 && target == Scalar::I32;
  if (id && (to_float || to_integer) && !promoted_.count(*id)) {
    report_.warning("S102", span, fmt::format("{} value stored as {}", name(*from), name(target)))
        .hint = fmt::format("write {}(x) if this is intended", name(to));
  }
  return true;
}

void Arithmetic::note_promotion(ir::NodeId result, const std::vector<Leaf>& operands, Span span) {
  if (real_ == Scalar::F64) return;  // the program computes in double
  bool meets_float = false;
  bool promoted = false;
  for (const Leaf& leaf : operands) {
    const auto* id = std::get_if<ir::NodeId>(&leaf);
    meets_float = meets_float || type_of(leaf) == Scalar::F32;
    promoted = promoted || (id && promoted_.count(*id));
  }
  if (!meets_float && !promoted) return;
  if (graph_[result].type == Scalar::F64) promoted_.insert(result);
  if (!promoted) promotions_.emplace(result, span);
}

// Reports S103 for the operations from which `stored`, the value of a float component, is computed.
// An explicit conversion to float means that its operand is double on purpose.
void Arithmetic::warn_of_promotions(ir::NodeId stored) {
  if (promotions_.empty()) return;
  std::vector<ir::NodeId> open = {stored};
  while (!open.empty()) {
    const ir::NodeId id = open.back();
    open.pop_back();
    const auto* operation = std::get_if<ir::Operation>(&graph_[id].kind);
    if (!operation || !seen_in_a_float_.insert(id).second) continue;
    if (const auto place = promotions_.find(id); place != promotions_.end()) {
      Diagnostic& warning =
          report_.warning("S103", place->second, "float arithmetic is done in double");
      warning.found = "operands of type double and of type float";
      warning.hint =
          "float(x) of the double computes in float; write double(x) of the float if double is "
          "intended";
    }
    const bool narrows = operation->op == Op::Convert && graph_[id].type == Scalar::F32;
    if (!narrows) open.insert(open.end(), operation->operands.begin(), operation->operands.end());
  }
}

// The text of a value with every float param in `double(...)`; "" if something else in it has the
// type float. A node has the span of the first use of its param, so the text is searched for names.
std::string Arithmetic::text_in_double(ir::NodeId value) const {
  std::set<std::string> params;
  std::set<ir::NodeId> seen;
  std::vector<ir::NodeId> open = {value};
  while (!open.empty()) {
    const ir::NodeId id = open.back();
    open.pop_back();
    const ir::Node& node = graph_[id];
    if (node.type != Scalar::F32 || !seen.insert(id).second) continue;
    const auto* operation = std::get_if<ir::Operation>(&node.kind);
    if (operation && operation->op != Op::Convert) {
      open.insert(open.end(), operation->operands.begin(), operation->operands.end());
    } else if (std::holds_alternative<ir::ParamRef>(node.kind)) {
      params.insert(report_.text(node.span));
    } else if (!std::holds_alternative<ir::Constant>(node.kind)) {
      return "";
    }
  }
  std::string text = report_.text(graph_[value].span);
  std::set<std::string> found;
  for (Token token = token_at(text, 0); token.kind != TokenKind::End;
       token = token_at(text, token.span.end)) {
    const std::string word = text.substr(token.span.begin, token.span.end - token.span.begin);
    if (!params.count(word)) continue;
    found.insert(word);
    text.replace(token.span.begin, word.size(), "double(" + word + ")");
    token.span.end = token.span.begin + static_cast<uint32_t>(word.size() + 8);
  }
  return found.empty() || found != params ? "" : text;
}

void Arithmetic::warn_of_float(Span span, const char* found, const std::string& written) {
  Diagnostic& warning =
      report_.warning("S107", span, "a value is rounded to float before it is stored as a double");
  warning.found = found;
  const std::string how = written.empty() ? "write double(x) of the operands" : "write " + written;
  warning.hint =
      (real_ == Scalar::F32 ? how + ", or use --real double, which makes `real` a double" : how) +
      "; if float is intended, write float(x)";
}

// Reports S107 for the operations from which `stored`, the value of a double component, is
// computed.
void Arithmetic::warn_of_narrow_parts(ir::NodeId stored) {
  std::vector<ir::NodeId> open = {stored};
  while (!open.empty()) {
    const ir::NodeId id = open.back();
    open.pop_back();
    const auto* operation = std::get_if<ir::Operation>(&graph_[id].kind);
    const bool ends = !operation || graph_[id].type != Scalar::F64 || meant_.count(id) != 0;
    if (ends || !seen_in_a_double_.insert(id).second) continue;
    const ir::NodeId first = operation->operands.front();
    if (operation->op == Op::Convert && graph_[first].type == Scalar::F32) {
      warn_if_narrow(first);
    } else {
      open.insert(open.end(), operation->operands.begin(), operation->operands.end());
    }
  }
}

// Reports S107 for operations that round to float and for float params, if `value` is computed from
// them. A read at points is an operation: a sum of values times weights. The types of fields and
// reductions are declared in the program, so reading them causes no warning.
void Arithmetic::warn_if_narrow(ir::NodeId value) {
  std::vector<ir::NodeId> open = {value};
  while (!open.empty()) {
    const ir::NodeId id = open.back();
    open.pop_back();
    const ir::Node& node = graph_[id];
    if (node.type != Scalar::F32 || meant_.count(id) || !seen_in_a_double_.insert(id).second) {
      continue;
    }
    if (std::holds_alternative<ir::ParamRef>(node.kind)) {
      warn_of_float(node.span, "a param of type float", text_in_double(id));
      continue;
    }
    const auto* access = std::get_if<ir::Access>(&node.kind);
    if (access && access->at_points) {
      warn_of_float(node.span, "values at points of type float, times their weights");
      continue;
    }
    const auto* operation = std::get_if<ir::Operation>(&node.kind);
    if (!operation) continue;
    switch (operation->op) {
      case Op::Select:
      case Op::Min:
      case Op::Max:
      case Op::Neg:
      case Op::Abs:
        open.insert(open.end(), operation->operands.begin(), operation->operands.end());
        break;
      case Op::Floor:
      case Op::Ceil:
      case Op::Round:
      case Op::Trunc:
        break;
      case Op::Convert:
        if (graph_[operation->operands[0]].type != Scalar::F64) break;
        [[fallthrough]];
      default:
        warn_of_float(node.span, "arithmetic in float", text_in_double(id));
    }
  }
}

namespace {

// Rounds a constant to float so that the second rounding, to half or bfloat, gives the correctly
// rounded result. A constant that is not a float is rounded to odd (Boldo and Melquiond, "When
// double rounding is odd"). If an integer exceeds 2^53, its low bits are first merged into one bit.
float rounded_to_odd(const Constant& constant) {
  double exact = constant.real;
  if (constant.integer) {
    constexpr int64_t kExact = int64_t{1} << 53, kLow = 0xfff;
    const int64_t integer = *constant.integer, low = integer & kLow;
    const bool large = integer > kExact || integer < -kExact;
    exact = static_cast<double>(large && low != 0 ? (integer - low) | (kLow + 1) : integer);
  }
  const auto nearest = static_cast<float>(exact);
  if (nearest == exact) return nearest;
  const bool beyond = std::fabs(static_cast<double>(nearest)) > std::fabs(exact);
  return std::bit_cast<float>((std::bit_cast<uint32_t>(nearest) - (beyond ? 1 : 0)) | 1);
}

}  // namespace

// Converts to a storage type. Floats are rounded once. Integers keep the low bits that fit the
// type.
std::optional<ir::NodeId> Arithmetic::narrow(const Leaf& leaf, Scalar target, Span span) {
  std::optional<ir::NodeId> from;
  const Scalar computed = arithmetic_type(target);
  const auto held = [&](const Constant& constant) -> std::optional<Constant> {
    if (!in_range(constant, target, span)) return std::nullopt;
    if (!is_float(target)) return typed(constant, computed, span);
    return Constant{computed, std::nullopt, rounded_to_odd(constant)};
  };
  if (const auto* constant = std::get_if<Constant>(&leaf)) {
    const auto value = held(*constant);
    if (value) from = node(*value, computed, span);
  } else if (const auto* choice = std::get_if<Choice>(&leaf)) {
    const auto if_true = held(choice->if_true), if_false = held(choice->if_false);
    if (if_true && if_false) {
      from = node(Choice{choice->condition, *if_true, *if_false}, computed, span);
    }
  } else if (const auto* weak = std::get_if<Weak>(&leaf)) {
    from = node(*weak, computed, span);
  } else {
    from = std::get<ir::NodeId>(leaf);
  }
  if (!from) return std::nullopt;
  return graph_.add({ir::Operation{Op::Convert, {*from}}, target, span, {}});
}

std::optional<ir::NodeId> Arithmetic::store_scalar(const Leaf& leaf, Scalar target, Span span) {
  if (!storable(leaf, target, span)) return std::nullopt;
  const Scalar computed = arithmetic_type(target);
  if (computed == Scalar::F32) {
    if (const auto* stored = std::get_if<ir::NodeId>(&leaf)) warn_of_promotions(*stored);
    if (const auto* choice = std::get_if<Choice>(&leaf)) warn_of_promotions(choice->condition);
  }
  if (computed != target) return narrow(leaf, target, span);
  const std::optional<ir::NodeId> stored = node(leaf, computed, span);
  if (stored && computed == Scalar::F64) warn_of_narrow_parts(*stored);
  return stored;
}

std::optional<std::vector<ir::NodeId>> Arithmetic::store(const Value& value, const Type& target,
                                                         Span span) {
  if (!value.ok()) return std::nullopt;
  if (!value.type->scalar() && !same_shape(*value.type, target)) {
    Diagnostic& error = report_.error("S019", span, "value of the wrong shape");
    error.expected = describe(target);
    error.found = describe(*value.type);
    if (target.scalar()) error.hint = "select a component with [index] or .name";
    return std::nullopt;
  }
  std::vector<ir::NodeId> stored;
  const std::vector<ir::Component> components = flatten(target);
  for (size_t c = 0; c < components.size(); ++c) {
    const std::optional<ir::NodeId> id = store_scalar(leaf_of(value, c), components[c].type, span);
    if (!id) return std::nullopt;
    stored.push_back(*id);
  }
  return stored;
}

std::optional<std::vector<Constant>> Arithmetic::store_constants(const Value& value,
                                                                 const Type& target, Span span) {
  if (!value.ok()) return std::nullopt;
  if (!value.type->scalar() && !same_shape(*value.type, target)) {
    Diagnostic& error = report_.error("S019", span, "value of the wrong shape");
    error.expected = describe(target);
    error.found = describe(*value.type);
    return std::nullopt;
  }
  std::vector<Constant> stored;
  const std::vector<ir::Component> components = flatten(target);
  for (size_t c = 0; c < components.size(); ++c) {
    const Leaf& leaf = leaf_of(value, c);
    if (!std::holds_alternative<Constant>(leaf)) {
      report_.error("S010", span, "not a compile-time constant").hint =
          "params without a folded value and fields are known at run time only";
      return std::nullopt;
    }
    const Scalar target = components[c].type;
    if (!storable(leaf, target, span)) return std::nullopt;
    if (is_storage(target) && !in_range(std::get<Constant>(leaf), target, span)) {
      return std::nullopt;
    }
    const std::optional<Constant> constant =
        typed(std::get<Constant>(leaf), arithmetic_type(target), span);
    if (!constant) return std::nullopt;
    stored.push_back(*constant);
  }
  return stored;
}

std::optional<ir::NodeId> Arithmetic::condition(const Value& value, Span span) {
  if (!value.ok()) return std::nullopt;
  if (!value.type->scalar() || type_of(value.leaves[0]) != Scalar::Bool) {
    Diagnostic& error = report_.error("S039", span, "not a condition");
    error.expected = "a comparison, or several joined by `and`, `or`, `not`";
    error.found = value.type->scalar() ? describe_leaf(value.leaves[0]) : describe(*value.type);
    return std::nullopt;
  }
  return node(value.leaves[0], Scalar::Bool, span);
}

}  // namespace stencil::sema
