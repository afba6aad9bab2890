// Compares an expression of a loop counter with each boundary rule at all values of the counter,
// for several lengths. The expression may consist of the counter, small constants, the length,
// comparisons and remainders. Such an expression is piecewise linear, and its pieces begin within a
// few points of the ends. If the expression agrees with a rule at all points for every tested
// length from 12 on, it therefore agrees for all lengths.
#include "compiler/lift/edge.h"

#include <algorithm>

#include "compiler/lift/numbers.h"
#include "compiler/support/boundary.h"

namespace stencil::lifter {

namespace {

constexpr int64_t kSmall = 4;  // largest constant and offset

// Whether the rule gives the value at another index, so that a subscript can follow it.
bool is_index_rule(const BoundaryRow& row) {
  switch (row.image) {
    case BoundaryImage::Edge:
    case BoundaryImage::Point:
    case BoundaryImage::Cell:
    case BoundaryImage::Wrap:
      return row.sign > 0 && row.addend == BoundaryAddend::None;
    case BoundaryImage::Nowhere:
    case BoundaryImage::Given:
    case BoundaryImage::Line:
      break;
  }
  return false;
}

// The index at which an index rule gives the value of the index `at`.
int64_t bent(const BoundaryRow& row, int64_t at, int64_t length) {
  if (row.image == BoundaryImage::Wrap) return ((at % length) + length) % length;
  if (row.image == BoundaryImage::Edge) return std::clamp<int64_t>(at, 0, length - 1);
  const int64_t repeated = row.image == BoundaryImage::Cell ? 1 : 0;
  if (at < 0) return -at - repeated;
  return at >= length ? 2 * (length - 1) + repeated - at : at;
}

// True if the comparison covers every node of the expression (see the top of this file).
bool simple(X x, X index) {
  bool out = true;
  each_node(x, [&](X n) {
    switch (n->kind) {
      case XKind::Int:
        out = out && std::abs(n->integer) <= kSmall;
        return;
      case XKind::Index:
        out = out && n == index;
        return;
      // A conversion to a narrow type could wrap around at lengths that are not tested.
      case XKind::Cast:
        out = out && is_integer(n->type) && (bits_of(n->type) >= 32 || is_condition(n->args[0]));
        return;
      case XKind::Symbol:
      case XKind::Select:
      case XKind::Unary:
        out = out && !is_floating(n->type);
        return;
      case XKind::Binary:
        out = out && !is_floating(n->type) && n->text != "/" && n->text != "<<" &&
              n->text != ">>" && n->text != "&" && n->text != "|" && n->text != "^" &&
              n->text != "*";
        return;
      default:
        out = false;
    }
  });
  return out;
}

// Values of the expression at each point of the domain, for one length.
struct Sample {
  int64_t length = 0, first = 0;
  std::vector<int64_t> values;
};

}  // namespace

X edge_of(Pool& pool, X x, X index, const Domain& domain) {
  // the length is a symbol, or a constant that is treated like a symbol
  Poly length = domain.high + Poly(1);
  if (x->kind == XKind::Binary && x->text == "%") length = Poly::of(x->args[1]);
  if (!domain.low.zero() && !domain.low.is_constant()) return nullptr;
  const XSet atoms = length.atoms();
  X size = pool.leaf(XKind::Symbol, CScalar::I64, 1 << 20, "length");
  std::map<X, X> done;
  // write the length as one symbol, so that n - 2 becomes length - 2
  X with_size = x;
  if (length.is_constant()) {
    const int64_t number = length.constant();
    with_size = transformed(pool, x, done, [&](X n) -> X {
      if (n->kind != XKind::Int || std::abs(n->integer - number) > kSmall || number < 12)
        return nullptr;
      return pool.cast(
          pool.binary("+", size, pool.integer(n->integer - number, CScalar::I64), CScalar::I64),
          n->type);
    });
  } else if (atoms.size() == 1 && length.linear_in(*atoms.begin()) == std::optional<int64_t>(1)) {
    X atom = *atoms.begin();
    if (atom->kind != XKind::Symbol || std::abs(length.constant()) > kSmall) return nullptr;
    with_size = transformed(pool, x, done, [&](X n) -> X {
      if (n != atom) return nullptr;
      return pool.cast(
          pool.binary("-", size, pool.integer(length.constant(), CScalar::I64), CScalar::I64),
          n->type);
    });
  } else {
    return nullptr;
  }
  if (!simple(with_size, index)) return nullptr;
  bool foreign = false;
  each_node(with_size, [&](X n) { foreign = foreign || (n->kind == XKind::Symbol && n != size); });
  if (foreign) return nullptr;
  std::vector<Sample> samples;
  for (int64_t points = 1; points < 32; ++points) {
    Sample sample{points, domain.low.constant(), {}};
    // end of the domain minus the length
    const Poly beyond = domain.high + Poly(1) - length;
    if (!beyond.is_constant() || beyond.constant() > 0 || sample.first < 0) return nullptr;
    for (int64_t i = sample.first; i < points + beyond.constant(); ++i) {
      std::map<X, X> at;
      X value = transformed(pool, with_size, at, [&](X n) -> X {
        if (n == index) return pool.integer(i, n->type);
        return n == size ? pool.integer(points, n->type) : nullptr;
      });
      if (value->kind != XKind::Int) return nullptr;
      sample.values.push_back(value->integer);
    }
    samples.push_back(std::move(sample));
  }
  for (const BoundaryRow& row : kBoundaryRows) {
    if (!is_index_rule(row)) continue;
    for (int64_t c = -kSmall; c <= kSmall; ++c) {
      const bool fits = std::all_of(samples.begin(), samples.end(), [&](const Sample& sample) {
        for (size_t k = 0; k < sample.values.size(); ++k) {
          const int64_t i = sample.first + static_cast<int64_t>(k);
          const bool outside = sample.values[k] < 0 || sample.values[k] >= sample.length;
          const int64_t expected = bent(row, i + c, sample.length);
          // At short lengths, skip points where the subscript or the reflected index lies outside
          // of the array. C programs make no such access.
          const bool twice = expected < 0 || expected >= sample.length;
          if (sample.length < 12 && (outside || twice)) continue;
          if (sample.values[k] != expected) return false;
        }
        return true;
      });
      if (fits && c != 0)
        return pool.edge(std::string(row.keyword), c, index, length.expression(pool, CScalar::I64));
    }
  }
  return nullptr;
}

}  // namespace stencil::lifter
