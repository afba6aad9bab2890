// NaN and infinities in the files of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/run/outputs.h"

namespace stencil::runtime {

// Of one component at one level, or of a reduction's value.
struct NonFinite {
  Selection place;  // its component is given, also if it is the only one
  // If set, `place` means nothing and `first` is empty: a reduction has no points.
  std::optional<ir::ReductionId> reduction = {};
  int64_t values = 0, nans = 0, infinities = 0;
  std::vector<int64_t> first;  // where the first of them is, in grid coordinates
  int64_t step = 0;            // of the first look that found some
  int64_t last = 0;            // of the last one, to which the counts belong

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
  // Those that had any, with the counts of the last look that found some.
  std::vector<NonFinite> found() const;

 private:
  std::vector<NonFinite> places_;
};

// Whether results have become NaN or infinite in the course of a run. A look reads each field once,
// where it lies. An infinity that means "no point was reduced" (+infinity of `min`, -infinity of
// `max`) is a value like any other.
class FiniteCheck {
 public:
  // `program` must outlive it.
  explicit FiniteCheck(const ir::Program& program) : program_(program) {}
  // Looks at all levels of all fields and at the reductions, before the first step.
  Status begin(FieldSource& fields);
  // Looks at the reductions and at the newest level of the fields that steps change: those that
  // functions compute, profiles and records. Reductions that became NaN are not among the results:
  // became_nan() of a run is about those.
  Status end(FieldSource& fields);
  // An event that calls end() when the run ends. The check must outlive it.
  Event event();
  // Values that a file shows, although end() may not find them: reductions in a row of a history,
  // and fields in files that were written on the way or show older levels.
  void note_reductions(const reference::State& state, const std::vector<int>& evaluated);
  void note_fields(const std::vector<NonFinite>& written);
  // What is not finite. Empty if some field or reduction was not finite in begin().
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
