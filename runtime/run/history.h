// The values of a program's reductions as a file that grows during the run, with one row per step
// that evaluates some.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/run/run.h"

namespace stencil::runtime {

// CSV: a line with names, the first being "step", then rows in step order. Values read back as the
// same double or integer. The cell of a reduction that the step does not evaluate is empty. Each
// row is written in one call before the run continues, so a process that ends leaves only whole
// rows.
class History {
 public:
  // Called for each step that evaluates reductions, with their numbers (ReductionId).
  using Callback = std::function<void(int64_t step, const std::vector<int>& evaluated)>;

  // `path` empty: no file; `callback` may be empty. At step 0 the file is created. In a resumed
  // run, rows up to the state's step are kept (the row of that step is added if missing) and later
  // rows removed, because the run writes them again. R011; R010 and R037 if the file is not a
  // history of this program.
  static Result<History> begin(const std::string& path, const ir::Program& program,
                               const reference::State& state, Callback callback);

  History(History&& other) noexcept;
  History& operator=(History&&) = delete;
  ~History();

  // Writes a row for everything evaluated since the last row, if anything.
  Status note(const reference::State& state);
  // Flushes all rows to disk.
  Status sync();
  // Calls note() at the right steps, as events of a run; the history must outlive them.
  std::vector<Event> events();

 private:
  History(std::string path, const ir::Program& program, const reference::State& state,
          Callback callback);
  Status open(const reference::State& state);
  Failure failure(int error) const;

  std::string path_;
  const ir::Program& program_;
  Callback callback_;
  std::vector<int64_t> evaluations_;  // at the last row, by ReductionId
  int descriptor_ = -1;
};

// The first line of the file.
std::string history_heading(const ir::Program& program);

}  // namespace stencil::runtime
