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

// Whether fields have become NaN or infinite in the course of a run. A look reads each field once,
// where it lies.
class FiniteCheck {
 public:
  // `program` must outlive it.
  explicit FiniteCheck(const ir::Program& program) : program_(program) {}
  // Looks at all levels of all fields, before the first step.
  Status begin(FieldSource& fields);
  // Looks at the newest level of the fields that steps have computed. Reductions are not among
  // them: became_nan() of a run is about those.
  Status end(FieldSource& fields);
  // end() when the run ends. The check must outlive the event.
  Event event();
  // Of end(): the components that are not finite. Empty if some field was not finite in begin().
  const std::vector<NonFinite>& found() const { return found_; }

 private:
  const ir::Program& program_;
  bool began_finite_ = false;
  std::vector<NonFinite> found_;
};

}  // namespace stencil::runtime
