// Interval arithmetic: the possible values of an integer expression of C, derived from the types of
// its leaves. If the exact result of an unsigned operation exceeds the type, the operation wraps
// around. A signed operation would be undefined in this case, so its interval is clipped to the
// type.
#pragma once

#include <map>

#include "compiler/lift/expr.h"

namespace stencil::lifter {

struct Interval {
  long double low = 0, high = 0;  // inclusive; 64-bit integers are exact
  bool within(const Interval& other) const { return low >= other.low && high <= other.high; }
};

Interval range_of_type(CScalar type);

class Ranges {
 public:
  explicit Ranges(const Pool& pool) : pool_(pool) {}
  // The range of the value that C computes. A 64-bit unsigned number is >= 0.
  const Interval& of(X x);
  // Assumes that each fact is >= 0. Call before any other function.
  void assume(const std::vector<Poly>& facts);
  // The range of an operation's exact result, before it wraps around.
  Interval exact(X x);
  bool fits(X x, CScalar type) { return of(x).within(range_of_type(type)); }
  // Whether an operation may wrap around.
  bool wraps(X x) { return !exact(x).within(range_of_type(x->type)); }

 private:
  Interval binary(X x);

  const Pool& pool_;
  std::map<X, Interval> known_;
  std::map<int, long double> least_;  // by symbol
};

}  // namespace stencil::lifter
