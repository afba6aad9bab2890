// random(i, j, seed) becomes one operation on integers of 64 bits, which lowering expands
// (ir/random.h).
#include <fmt/format.h>

#include "compiler/ir/random.h"
#include "compiler/sema/elaborate.h"

namespace stencil::sema {

// Converts an argument to a `long`: a coordinate (a 32-bit integer) or the seed. S018.
std::optional<Leaf> Elaborator::random_argument(const ast::Expr& expr, bool seed) {
  const Value value = elaborate(expr);
  if (!value.ok()) return std::nullopt;
  const bool scalar = value.type->scalar();
  bool fits = scalar, is_long = false;
  if (fits) {
    const Scalar type = arithmetic_.natural_type(value.leaves[0]);
    const auto* known = std::get_if<Constant>(&value.leaves[0]);
    const bool beyond =
        known && known->integer && !integer_range(Scalar::I32).holds(*known->integer);
    is_long = type == Scalar::I64 || (type == Scalar::I32 && beyond);
    fits = seed ? type == Scalar::I32 || is_long : type == Scalar::I32 && !is_long;
  }
  if (!fits) {
    Diagnostic& error = env_.report.error(
        "S018", expr.span,
        fmt::format("the {} of 'random' is not an {}", seed ? "seed" : "coordinate",
                    seed ? "integer or long" : "integer"));
    error.expected = seed ? "an integer or a long" : "an integer";
    error.found = is_long  ? "a long"
                  : scalar ? arithmetic_.describe_leaf(value.leaves[0])
                           : describe(*value.type);
    if (is_long) {
      error.hint = "integer(x) keeps the low 32 bits; the seed, the last argument, may be a long";
    } else if (scalar) {
      error.hint = "integer(x) truncates a real number";
    }
    return std::nullopt;
  }
  const Value wide = arithmetic_.convert(value, Scalar::I64, expr.span);
  return wide.ok() ? std::optional(wide.leaves[0]) : std::nullopt;
}

Value Elaborator::random(const ast::Call& call, Span span) {
  const size_t count = call.arguments.size();
  if (count == 0) {
    Diagnostic& error = env_.report.error("S023", span, "wrong number of arguments of 'random'");
    error.expected = "integer coordinates, followed by a seed";
    error.found = "0";
    return {};
  }
  std::vector<Leaf> words;
  for (size_t a = 0; a < count; ++a) {
    const auto word = random_argument(*call.arguments[a], a + 1 == count);
    if (!word) return {};
    words.push_back(*word);
  }
  if (exhausted(span)) return {};
  std::vector<int64_t> known;
  for (const Leaf& word : words) {
    if (const auto* constant = std::get_if<Constant>(&word)) known.push_back(*constant->integer);
  }
  if (known.size() == count) {
    const Leaf bits = Constant::of_typed(Scalar::I64, ir::random_bits(known));
    return Value::of_leaf(arithmetic_.as_fraction(bits, span));
  }
  ir::Operation operation{Op::Random, {}};
  for (const Leaf& word : words) {
    const auto* constant = std::get_if<Constant>(&word);
    operation.operands.push_back(
        constant ? graph_.add({ir::Constant{0, *constant->integer}, Scalar::I64, span, {}})
                 : std::get<ir::NodeId>(word));
  }
  const ir::NodeId bits = graph_.add({std::move(operation), Scalar::I64, span, {}});
  return Value::of_leaf(arithmetic_.as_fraction(bits, span));
}

}  // namespace stencil::sema
