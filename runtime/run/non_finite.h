// NaN and infinities in the files of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/run/outputs.h"

namespace stencil::runtime {

// Counts for one component at one level.
struct NonFinite {
  Selection place;  // component is set even if it is the only one
  int64_t values = 0, nans = 0, infinities = 0;
  std::vector<int64_t> first;  // grid coordinates of the first such value
  int64_t step = 0;            // of the first check that found any

  bool any() const { return nans > 0 || infinities > 0; }
};

// Converts a count over all of `field`; `step` remains to be set.
NonFinite non_finite_at(const Selection& place, const NonFiniteCount& count,
                        const reference::FieldData& field);

// Checks the values in output files whenever these are written.
class NonFiniteWatch {
 public:
  NonFiniteWatch(const ir::Program& program, const std::vector<Output>& outputs);
  Status look(FieldSource& fields);
  // Adds a check after the event's action. The watch must outlive the event.
  Event watched(Event event);
  // Results of the last check with any such values.
  std::vector<NonFinite> found() const;

 private:
  std::vector<NonFinite> places_;
};

// Checks whether fields have become NaN or infinite during a run. Each check reads each field once,
// in its own memory.
class FiniteCheck {
 public:
  // `program` must outlive it.
  explicit FiniteCheck(const ir::Program& program) : program_(program) {}
  // Checks all levels of all fields before the first step.
  Status begin(FieldSource& fields);
  // Checks the newest level of the fields that steps compute. Reductions are handled by the run
  // itself (RunReport::nan).
  Status end(FieldSource& fields);
  // An event that calls end() when the run ends. The check must outlive it.
  Event event();
  // The non-finite components found by end(). Empty if begin() already found some.
  const std::vector<NonFinite>& found() const { return found_; }

 private:
  const ir::Program& program_;
  bool began_finite_ = false;
  std::vector<NonFinite> found_;
};

}  // namespace stencil::runtime
