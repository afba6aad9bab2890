// Where C evaluates each load of a value: `i > 0 ? a[i - 1] : 0` reads a[i - 1] only at points with
// i > 0. A program evaluates both operands of a select at all points.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// The part of `domain` in which C may evaluate each load, as far as the conditions around it
// compare a counter with sums of sizes. Loads that are always evaluated have `domain`. `guarded`
// receives the loads that are evaluated under a condition.
std::map<X, std::vector<Domain>> domains_of_loads(Pool& pool, const Execution& execution, X value,
                                                  const std::vector<Domain>& domain,
                                                  std::set<X>* guarded = nullptr);

using Guard = std::pair<X, bool>;  // a condition, and whether it holds
using Guards = std::set<Guard>;

// Whether at least one of these conjunctions holds for any truth values: true for `if` and its
// `else`.
bool hold_always(const std::vector<Guards>& some);

// An access of a store. `sure`: C makes it at every point of the domain, otherwise at some of them.
struct Touch {
  int array = -1;
  std::vector<X> subscripts;
  std::vector<Domain> domain, around;  // `around`: of the loops, ignoring conditions
  bool sure = false;
  Guards guards = {};  // conditions of the access
  Guards calls = {};   // those of `guards` that do not depend on the point
};
// All accesses of a store, its own write last. The old value that a guarded store keeps is not an
// access of C.
std::vector<Touch> touches_of(Pool& pool, const Execution& execution, const Store& store);

}  // namespace stencil::lifter
