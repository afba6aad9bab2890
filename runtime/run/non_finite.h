// NaN and infinities in the results and files of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/run/outputs.h"

namespace stencil::runtime {

// Counts for one component at one level, or for the value of a reduction.
struct NonFinite {
  Selection place;  // component is set even if it is the only one
  // If set, `place` is unused and `first` is empty.
  std::optional<ir::ReductionId> reduction = {};
  int64_t values = 0, nans = 0, infinities = 0;
  std::vector<int64_t> first;  // grid coordinates of the first such value
  int64_t step = 0;            // of the first check that found any
  int64_t last_step = 0;       // of the last check that found any; the counts are from this check

  bool any() const { return nans > 0 || infinities > 0; }
};

// Converts a count over all of `field`; `step` remains to be set.
NonFinite non_finite_at(const Selection& place, const NonFiniteCount& count,
                        const reference::FieldData& field);

// Checks the values in output files whenever these are written.
class NonFiniteWatch {
 public:
  NonFiniteWatch(const ir::Program& program, const std::vector<Output>& outputs);
  // Checks the values in these outputs, which are some of the watch's.
  Status look(FieldSource& fields, const std::vector<Output>& written);
  // Adds a check of `written` after the event's action. The watch must outlive the event.
  Event watched(Event event, const std::vector<Output>& written);
  // The places where any check found such values, with the counts of the last such check.
  std::vector<NonFinite> found() const;

 private:
  const ir::Program& program_;
  std::vector<NonFinite> places_;
};

// Checks whether results have become NaN or infinite during a run. Each check reads each field
// once, in its own memory. The infinities that `min` and `max` give if no point was reduced
// (+infinity and -infinity) do not count.
class FiniteCheck {
 public:
  // `program` must outlive it.
  explicit FiniteCheck(const ir::Program& program) : program_(program) {}
  // Checks all levels of all fields and the reductions, before the first step.
  Status begin(FieldSource& fields);
  // Checks the reductions, and the newest level of the fields that steps change: those that
  // functions compute, profiles and records. A reduction counts if it is infinite; the run itself
  // reports NaN (RunReport::nan).
  Status end(FieldSource& fields);
  // An event that calls end() when the run ends. The check must outlive it.
  Event event();
  // Add values in files that end() may not find: reductions in a row of a history, and fields in
  // files that were written earlier or contain older levels.
  void note_reductions(const reference::State& state, const std::vector<int>& evaluated);
  void note_fields(const std::vector<NonFinite>& written);
  // The non-finite components and reductions. Empty if begin() already found some.
  const std::vector<NonFinite>& found() const { return found_; }

 private:
  Result<std::vector<NonFiniteCount>> count(FieldSource& fields,
                                            const std::vector<Selection>& places) const;
  void add(NonFinite found);

  const ir::Program& program_;
  bool began_finite_ = false;
  std::vector<NonFinite> found_;
};

}  // namespace stencil::runtime
