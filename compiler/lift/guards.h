// The points at which C evaluates each load of a value: `i > 0 ? a[i - 1] : 0` reads a[i - 1] only
// where i > 0. A program evaluates both operands of a select at all points.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// The part of `domain` in which C may evaluate each load. Only conditions that compare a counter
// with sums of sizes restrict this part. Loads that are always evaluated have `domain`. `guarded`
// receives the loads that are evaluated under a condition.
std::map<X, std::vector<Domain>> domains_of_loads(Pool& pool, const Execution& execution, X value,
                                                  const std::vector<Domain>& domain,
                                                  std::set<X>* guarded = nullptr);

using Guard = std::pair<X, bool>;  // a condition, and whether it holds
using Guards = std::set<Guard>;

// Whether at least one of these conjunctions holds for any truth values. For example, this is true
// for the conditions of an `if` and its `else`.
bool hold_always(const std::vector<Guards>& some);

// An access of a store. `sure`: C makes the access at every point of the domain; otherwise at some
// of the points.
struct Touch {
  int array = -1;
  std::vector<X> subscripts;
  std::vector<Domain> domain, around;  // `around`: the domain of the loops without conditions
  bool sure = false;
  Guards guards = {};  // conditions under which C makes the access
  Guards calls = {};   // the `guards` that do not depend on the point
};
// All accesses of a store, its own write last. The old value that a guarded store keeps is not an
// access of C.
std::vector<Touch> touches_of(Pool& pool, const Execution& execution, const Store& store);

}  // namespace stencil::lifter
