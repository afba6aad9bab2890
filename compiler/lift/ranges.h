// Which values an integer expression of C may have, by interval arithmetic from the types of its
// leaves. An unsigned operation whose exact result leaves the type wraps around, as C defines it; a
// signed one has no meaning then, so its interval is cut at the ends of the type.
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
  // The value as C has it: an unsigned 64-bit number is at least 0.
  const Interval& of(X x);
  // Each is at least 0. Called ahead of all others.
  void assume(const std::vector<Poly>& facts);
  // The exact result of an operation, ahead of any wrap-around.
  Interval exact(X x);
  bool fits(X x, CScalar type) { return of(x).within(range_of_type(type)); }
  // Whether an operation may wrap around.
  bool wraps(X x) { return !exact(x).within(range_of_type(x->type)); }

 private:
  Interval binary(X x);

  const Pool& pool_;
  std::map<X, Interval> known_;
  std::map<int, long double> least_;  // of symbols
};

}  // namespace stencil::lifter
