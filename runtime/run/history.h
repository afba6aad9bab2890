// The values of a program's reductions, one row per step at which some are evaluated, as a file
// that grows while the run goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/run/run.h"

namespace stencil::runtime {

// CSV: a line with the names, "step" the first, then the rows in the order of the steps. A value is
// written so that it reads back as the same double or integer; a reduction that the step does not
// evaluate has nothing between its commas. A row is on its way to the disk before the run goes on,
// in one write: whatever ends the process leaves whole rows.
class History {
 public:
  // Called with each step that evaluates reductions, and the numbers (ReductionId) of those.
  using Callback = std::function<void(int64_t step, const std::vector<int>& evaluated)>;

  // `path` empty: no file; `callback` may be empty. The run begins at the state's step: at 0 the
  // file is made anew, otherwise rows up to that step are kept (its own is made of the state if it
  // is missing) and those beyond it removed, which then come again. R011; R010 and R037 for a file
  // that is none of this program's.
  static Result<History> begin(const std::string& path, const ir::Program& program,
                               const reference::State& state, Callback callback);

  History(History&& other) noexcept;
  History& operator=(History&&) = delete;
  ~History();

  // A row for what has been evaluated since the last one, if anything has.
  Status note(const reference::State& state);
  // What has been noted is on the disk, whatever happens to the machine.
  Status sync();
  // The steps at which to note, as events of a run; the history must outlive them.
  std::vector<Event> events();

 private:
  History(std::string path, const ir::Program& program, const reference::State& state,
          Callback callback);
  Status open(const reference::State& state);
  Failure failure(int error) const;

  std::string path_;
  const ir::Program& program_;
  Callback callback_;
  std::vector<int64_t> evaluations_;  // by ReductionId, as of the last row
  int descriptor_ = -1;
};

// The first line of the file.
std::string history_heading(const ir::Program& program);

}  // namespace stencil::runtime
