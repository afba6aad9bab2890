// Where C evaluates each load of a value: `i > 0 ? a[i - 1] : 0` reads a[i - 1] at the points of
// the loop from 1 on. A program evaluates both sides of a choice at all points.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/lift/execution.h"

namespace stencil::lifter {

// The part of `domain` outside of which no condition around a load lets C evaluate it, as far as
// these compare a counter with sums of sizes. Loads that are evaluated everywhere have `domain`.
// `guarded`: gets the loads that are evaluated under some condition only.
std::map<X, std::vector<Domain>> domains_of_loads(Pool& pool, const Execution& execution, X value,
                                                  const std::vector<Domain>& domain,
                                                  std::set<X>* guarded = nullptr);

using Guard = std::pair<X, bool>;  // a condition, and whether it holds
using Guards = std::set<Guard>;

// Whether all of some guards hold, whatever the conditions are: those of `if` and its `else` do.
bool hold_always(const std::vector<Guards>& some);

// Where C makes an access of a store. `sure`: at all points of the domain; else at some of them.
struct Touch {
  int array = -1;
  std::vector<X> subscripts;
  std::vector<Domain> domain, around;  // `around`: of the loops, whatever conditions say
  bool sure = false;
  Guards guards = {};  // C makes it where they hold
  Guards calls = {};   // of these, what holds at all points of a call or at none
};
// All accesses of a store, its own last. What a guarded store keeps is no access of C.
std::vector<Touch> touches_of(Pool& pool, const Execution& execution, const Store& store);

}  // namespace stencil::lifter
