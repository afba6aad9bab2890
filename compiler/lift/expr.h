// The value of a C expression, as a graph of scalars with C types and explicit conversions. Nodes
// are unique within a pool, so equal values have equal pointers. Constants are folded by the rules
// of C.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/lift/c_tree.h"

namespace stencil::lifter {

enum class XKind : uint8_t {
  Int,      // integer
  Real,     // real
  Symbol,   // text: a scalar that the region reads but never writes; id: index of the symbol
  Index,    // id: a loop over space
  Time,     // the counter of the time loop; starts at 0
  Carried,  // text: a variable after the previous iteration
  Load,     // id: array; args: subscripts; integer: time of the load (kEpoch)
  Unary,    // text: - ! ~
  Binary,   // text: the operator of C; && and || evaluate both sides
  Cast,
  Select,   // condition, then, else
  Call,     // text: a math function; the name of its double version
  Sum,      // text: sum, prod, min, max; args: operand; ids: the indices reduced over
  Reduced,  // id: a reduction of the execution; its value in the current step
  // A result of the time loop; id: kStepsTaken, or kStopped (1 if a condition ended the loop).
  Outcome,
  Edge,    // text: a boundary rule; integer: a constant; args: a counter, the length
  Unknown  // text: the reason why the value is unknown
};

constexpr int kStepsTaken = 0, kStopped = 1;

struct XNode;
using X = const XNode*;
// Orders nodes by creation. Results must not depend on addresses.
struct XLess {
  bool operator()(X a, X b) const;
};
using XSet = std::set<X, XLess>;

struct XNode {
  XKind kind = XKind::Int;
  CScalar type = CScalar::I32;
  std::string text = {};
  int64_t integer = 0;
  double real = 0;
  int id = -1;
  std::vector<X> args = {};
  std::vector<int> ids = {};
  int order = 0;  // position in the order of creation
};
inline bool XLess::operator()(X a, X b) const {
  return a->order < b->order;
}

class Pool {
 public:
  X integer(int64_t value, CScalar type = CScalar::I32);
  X real(double value, CScalar type);
  X leaf(XKind kind, CScalar type, int id, const std::string& text);
  X load(int array, std::vector<X> subscripts, CScalar type, int64_t when);
  X unary(const std::string& op, X a, CScalar type);
  X binary(const std::string& op, X a, X b, CScalar type);  // comparisons have type I32
  X cast(X a, CScalar type);
  X select(X condition, X yes, X no);
  X call(const std::string& name, std::vector<X> args, CScalar type);
  X sum(const std::string& op, X value, std::vector<int> ids);
  X edge(const std::string& rule, int64_t offset, X index, X length);
  X unknown(const std::string& why, CScalar type);
  X negation(X condition);
  X truth(X value);  // value != 0

  // Returns a node of the same kind with other children. Folds constants again.
  X rebuilt(X node, const std::vector<X>& args);

  // Loops whose counter has an unsigned type and is never negative.
  bool counts_from_zero(int index) const { return from_zero_.count(index) > 0; }
  void count_from_zero(int index) { from_zero_.insert(index); }

 private:
  X unique(XNode node);
  std::set<int> from_zero_;
  std::unordered_map<std::string, std::unique_ptr<XNode>> nodes_;
};

bool is_comparison(const std::string& op);
bool is_constant(X x);   // Int or Real
bool is_condition(X x);  // a comparison, !, && or ||

// Calls `visit` once for each node of `x`, children before parents. The children of a node are
// skipped if `enters` returns false for the node.
template <class Enters, class Visit>
void each_node_of(X x, std::set<X>& seen, const Enters& enters, const Visit& visit) {
  if (!seen.insert(x).second) return;
  if (enters(x)) {
    for (X arg : x->args) each_node_of(arg, seen, enters, visit);
  }
  visit(x);
}
template <class Visit>
void each_node(X x, std::set<X>& seen, const Visit& visit) {
  each_node_of(
      x, seen, [](X) { return true; }, visit);
}
template <class Visit>
void each_node(X x, const Visit& visit) {
  std::set<X> seen;
  each_node(x, seen, visit);
}
// Like each_node(), but skips the operands of sums.
template <class Visit>
void each_outside_sums(X x, const Visit& visit) {
  std::set<X> seen;
  each_node_of(
      x, seen, [](X at) { return at->kind != XKind::Sum; }, visit);
}
bool contains(X x, XKind kind);
bool contains_index(X x, int id);
bool uses_index(X x);  // whether x uses an index as a value; subscripts of loads do not count

// Returns `x` with each node replaced by the result of `change`, children before parents. If the
// result is null, the node is kept.
template <class Change>
X transformed(Pool& pool, X x, std::map<X, X>& done, const Change& change) {
  if (const auto found = done.find(x); found != done.end()) return found->second;
  std::vector<X> args;
  for (X arg : x->args) args.push_back(transformed(pool, arg, done, change));
  X out = args == x->args ? x : pool.rebuilt(x, args);
  if (X other = change(out)) out = other;
  done[x] = out;
  return out;
}

// Like transformed(), but leaves sums unchanged.
template <class Change>
X transformed_outside_sums(Pool& pool, X x, std::map<X, X>& done, const Change& change) {
  each_node(x, [&](X n) {
    if (n->kind == XKind::Sum) done[n] = n;
  });
  return transformed(pool, x, done, change);
}

// Thrown if an integer does not fit: a polynomial exceeds 64 bits, or a constant exceeds the type
// in which it is written.
struct TooLarge {
  int64_t number = 0;  // 0: the number exceeds 64 bits
  CScalar type = CScalar::I64;
};

// Whether an integer type can hold a number. An unsigned type can hold a negative number if the
// type can hold its low bits.
bool holds(CScalar type, int64_t number);

// Integers as polynomials, for subscripts and bounds. An expression that is not a sum or product of
// integers (a quotient, a load) is an atom.
class Poly {
 public:
  using Monomial = std::vector<X>;  // atoms in order; empty: the constant

  Poly() = default;
  explicit Poly(int64_t constant);
  static Poly of(X x);
  static Poly atom(X x);

  struct Before {
    bool operator()(const Monomial& a, const Monomial& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), XLess());
    }
  };
  using Terms = std::map<Monomial, int64_t, Before>;
  const Terms& terms() const { return terms_; }
  bool is_constant() const;
  int64_t constant() const;  // the term without atoms
  bool zero() const { return terms_.empty(); }
  // The coefficient of an atom that occurs only as a linear term; nullopt if the atom also occurs
  // in a product.
  std::optional<int64_t> linear_in(X atom) const;
  Poly coefficient(X atom) const;  // the coefficient of the first power
  Poly without(X atom) const;      // all terms without it
  int degree_in(X atom) const;
  XSet atoms() const;

  Poly operator+(const Poly& other) const;
  Poly operator-(const Poly& other) const;
  Poly operator*(const Poly& other) const;
  Poly operator-() const { return Poly() - *this; }
  friend bool operator==(const Poly&, const Poly&) = default;
  // Polynomial division by leading terms: this = quotient * divisor + rest. Returns nullopt if a
  // coefficient is not divisible.
  struct Division;
  Division divided_by(const Poly& divisor) const;
  // The remainder (>= 0) of a division by a number; nullopt if the remainder depends on atoms.
  std::optional<int64_t> remainder(int64_t divisor) const;

  // Throws TooLarge if a constant does not fit in the type.
  X expression(Pool& pool, CScalar type = CScalar::I32) const;
  // Whether a program can use the polynomial as a bound: all constants fit in 32-bit integers.
  bool fits_program() const;
  std::string text() const;  // for messages

 private:
  void add(const Monomial& monomial, int64_t factor);
  Terms terms_;
};
struct Poly::Division {
  Poly quotient, rest;
};

// Whether `p` >= 0 follows from facts >= 0. The proof writes p as a sum of facts and a constant >=
// 0. `used` receives the indices of the facts in the proof.
bool proved(const Poly& p, const std::vector<Poly>& facts, std::set<size_t>* used = nullptr,
            int depth = 3);

// Whether `p >= 0` limits some integer from above, because a term has a negative coefficient.
bool bounds_from_above(const Poly& p);
// Whether no values satisfy all facts (each fact: >= 0).
bool contradictory(std::vector<Poly> facts);

std::string describe(X x);  // for messages; truncates long expressions

// Whether a conversion between integer types preserves every value.
bool keeps_values(CScalar from, CScalar to);

}  // namespace stencil::lifter
