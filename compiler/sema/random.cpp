// random(i, j, seed): Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (SC'11). The generator has no state: a number is a
// function of the coordinates and the seed. The number is therefore the same on every device, in
// every subdomain and for every schedule.
//
// The coordinates form the counter: four words of 32 bits, padded with 0. The seed is the key: two
// words, the low word first. If there are more than four coordinates, each further group of four is
// the counter of another block. The key of that block is the first two words of the previous block.
// The random number consists of the first two words of the last block; the first word is the upper
// half.
//
// A word is stored as a `long`. The product of two words needs 64 bits, and a `long` keeps all of
// them because it wraps around. All operations exist in the language, so no target needs special
// support.
#include <fmt/format.h>

#include <array>

#include "compiler/sema/elaborate.h"
#include "compiler/support/evaluate.h"

namespace stencil::sema {
namespace {

constexpr int64_t kWord = 0xffffffff;

// 64-bit operations on leaves; constants are folded.
class Words {
 public:
  Words(ir::Graph& graph, Span span) : graph_(graph), span_(span) {}

  static Leaf number(int64_t value) { return Constant::of_typed(Scalar::I64, value); }

  Leaf apply(Op op, const Leaf& a, const Leaf& b) {
    const auto* x = std::get_if<Constant>(&a);
    const auto* y = std::get_if<Constant>(&b);
    if (x && y) return number(evaluate_integer(op, *x->integer, *y->integer, 64).value);
    return graph_.add({ir::Operation{op, {node(a), node(b)}}, Scalar::I64, span_, {}});
  }
  Leaf low(const Leaf& a) { return apply(Op::BitAnd, a, number(kWord)); }
  Leaf high(const Leaf& a) { return low(apply(Op::Shr, a, number(32))); }

 private:
  ir::NodeId node(const Leaf& leaf) {
    if (const auto* id = std::get_if<ir::NodeId>(&leaf)) return *id;
    const int64_t value = *std::get<Constant>(leaf).integer;
    return graph_.add({ir::Constant{0, value}, Scalar::I64, span_, {}});
  }

  ir::Graph& graph_;
  Span span_;
};

using Key = std::array<Leaf, 2>;
using Counter = std::array<Leaf, 4>;

Counter philox(Words& words, Counter c, Key key) {
  constexpr int kRounds = 10;
  const Leaf multiplier[] = {Words::number(0xD2511F53), Words::number(0xCD9E8D57)};
  const Leaf weyl[] = {Words::number(0x9E3779B9), Words::number(0xBB67AE85)};
  for (int round = 0; round < kRounds; ++round) {
    for (size_t k = 0; round > 0 && k < key.size(); ++k) {
      key[k] = words.low(words.apply(Op::WrapAdd, key[k], weyl[k]));
    }
    const Leaf product_0 = words.apply(Op::WrapMul, c[0], multiplier[0]);
    const Leaf product_1 = words.apply(Op::WrapMul, c[2], multiplier[1]);
    const Leaf mixed_0 = words.apply(Op::BitXor, words.high(product_1), c[1]);
    const Leaf mixed_1 = words.apply(Op::BitXor, words.high(product_0), c[3]);
    c = {words.apply(Op::BitXor, mixed_0, key[0]), words.low(product_1),
         words.apply(Op::BitXor, mixed_1, key[1]), words.low(product_0)};
  }
  return c;
}

}  // namespace

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
  Words words(graph_, span);
  std::vector<Leaf> coordinates;
  for (size_t a = 0; a + 1 < count; ++a) {
    const auto coordinate = random_argument(*call.arguments[a], false);
    if (!coordinate) return {};
    coordinates.push_back(words.low(*coordinate));
  }
  const auto seed = random_argument(*call.arguments.back(), true);
  if (!seed) return {};
  Key key = {words.low(*seed), words.high(*seed)};
  Counter out;
  for (size_t first = 0; first == 0 || first < coordinates.size(); first += out.size()) {
    if (first > 0) key = {out[0], out[1]};
    Counter counter;
    for (size_t i = 0; i < counter.size(); ++i) {
      counter[i] = first + i < coordinates.size() ? coordinates[first + i] : Words::number(0);
    }
    out = philox(words, std::move(counter), key);
  }
  if (exhausted(span)) return {};
  const Leaf upper = words.apply(Op::Shl, out[0], Words::number(32));
  return Value::of_leaf(arithmetic_.as_fraction(words.apply(Op::BitOr, upper, out[1]), span));
}

}  // namespace stencil::sema
