// The original of a lifted program, compiled so that it observes itself, and called in a confined
// child process.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/api/in_child.h"
#include "runtime/api/lift_memory.h"
#include "runtime/api/lift_outcomes.h"
#include "runtime/lifting/lifting.h"

namespace stencil::api {

// How a call ended.
struct OriginalRun {
  ChildEnd end;
  std::string undefined;  // the undefined behaviour that it ran into: "overflow ... at 12:7"
  std::string outside;    // the array outside of which it wrote
};

class Original {
 public:
  explicit Original(const lifter::Lifted& lifted) : lifted_(lifted) {}

  // "", or why it cannot be called. Failure: the library is missing.
  Result<std::string> compile(const runtime::LiftRequest& request);

  // Calls it with the scalars of a case. The arrays change as it changes them, unless it did not
  // return. `patience`: in seconds.
  OriginalRun call(const LiftCase& one, std::vector<OriginalArray>& arrays, int patience);
  // The same for a case that the program excludes: only which outcomes it takes is kept, apart from
  // those of other calls. Returns whether it took a new one.
  bool probe(const LiftCase& one, std::vector<OriginalArray> arrays);

  // The number of an array such that what the original computes depends on memory outside of it;
  // nothing if there is none.
  std::optional<size_t> reads_outside(const LiftCase& one,
                                      const std::vector<OriginalArray>& arrays);

  // What scalars held after the last call, 8 bytes each, in the order of Execution::left.
  const std::vector<char>& left() const { return left_; }
  // Those of all calls that returned.
  const Outcomes& outcomes() const { return outcomes_; }
  // Those that no call took; without such that cases outside of the program's domain took.
  std::vector<Outcome> missing() const;

 private:
  OriginalRun run(const LiftCase& one, std::vector<OriginalArray>& arrays, int patience);

  const lifter::Lifted& lifted_;
  runtime::HostKernels program_;
  StencilHostKernel entry_ = nullptr;
  void (*seen_)(char*) = nullptr;
  int32_t** undefined_ = nullptr;
  Outcomes outcomes_, excluded_;
  std::vector<char> left_, seen_now_;
  // What memory around the arrays holds: 0x5a, but for arrays in `other_`.
  char guard_of(size_t array) const { return other_.count(array) > 0 ? 0x33 : 0x5a; }
  std::set<size_t> other_;
};

}  // namespace stencil::api
