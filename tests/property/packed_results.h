// The results of a run, as returned by the packed entry point of emitted C++.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"

namespace stencil::property {

// `struct NAME_results` of an emitted file: steps done, stopped, then for each reduction its value,
// number of evaluations and (floating point only) first step with NaN, 8 bytes each. Its address is
// the last pointer of the packed arrays of a program with reductions.
// Programs without reductions have none.
class PackedResults {
 public:
  PackedResults(const kernel::Plan& plan, const reference::State& state);

  bool empty() const { return plan_.reductions.empty(); }
  void* data() { return words_.data(); }

  // Called after a call of the entry point that requested `steps` steps: stores its results in the
  // state, advances the state's step, and returns the number of steps done.
  int64_t take(int64_t steps, reference::State& state) const;

 private:
  const kernel::Plan& plan_;
  std::vector<uint64_t> words_;
};

}  // namespace stencil::property
