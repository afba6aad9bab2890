// The original of a lifted program, compiled with instrumentation and called in a confined child
// process.
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
  std::string undefined;  // undefined behaviour that it executed: "overflow ... at 12:7"
  std::string outside;    // the array beyond whose bounds it wrote
};

class Original {
 public:
  explicit Original(const lifter::Lifted& lifted) : lifted_(lifted) {}

  // Returns "", or the reason why the original cannot be called. Fails if the library is missing.
  Result<std::string> compile(const runtime::LiftRequest& request);

  // Calls the original with the scalars of a case. If the call returns, the arrays hold its
  // results. `patience`: timeout in seconds.
  OriginalRun call(const LiftCase& one, std::vector<OriginalArray>& arrays, int patience);
  // Like call(), for a case that the program excludes. Records only branch outcomes, and keeps them
  // separate from those of call(). Returns whether one of them is new.
  bool probe(const LiftCase& one, std::vector<OriginalArray> arrays);

  // The index of an array for which the results of the original depend on memory outside the array;
  // nullopt if there is none.
  std::optional<size_t> reads_outside(const LiftCase& one,
                                      const std::vector<OriginalArray>& arrays);

  // Scalars after the last call, 8 bytes each, in the order of Execution::left.
  const std::vector<char>& left() const { return left_; }
  // The outcomes of all calls that returned.
  const Outcomes& outcomes() const { return outcomes_; }
  // Outcomes that neither call() nor probe() has recorded.
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
  // Contents of the guard memory around an array: 0x33 for arrays in `other_`, else 0x5a.
  char guard_of(size_t array) const { return other_.count(array) > 0 ? 0x33 : 0x5a; }
  std::set<size_t> other_;
};

}  // namespace stencil::api
