// NaN and infinities in what a run writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/run/outputs.h"

namespace stencil::runtime {

// Of one component at one level.
struct NonFinite {
  Selection place;  // its component is given, also if it is the only one
  int64_t values = 0, nans = 0, infinities = 0;
  std::vector<int64_t> first;  // where the first of them is, in grid coordinates
  int64_t step = 0;            // of the first look that found some

  bool any() const { return nans > 0 || infinities > 0; }
};

// A count over all of `field`, for who reads it; the step is missing.
NonFinite non_finite_at(const Selection& place, const NonFiniteCount& count,
                        const reference::FieldData& field);

// Looks at the values that files show, whenever they are written.
class NonFiniteWatch {
 public:
  NonFiniteWatch(const ir::Program& program, const std::vector<Output>& outputs);
  Status look(FieldSource& fields);
  // The event, with a look after its action. The watch must outlive it.
  Event watched(Event event);
  // Of the last look: those that have any.
  std::vector<NonFinite> found() const;

 private:
  std::vector<NonFinite> places_;
};

}  // namespace stencil::runtime
