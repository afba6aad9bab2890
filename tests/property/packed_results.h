// The results of a run as the packed entry point of emitted C++ gives them back.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"

namespace stencil::property {

// `struct NAME_results` of an emitted file: steps done, stopped, then value, evaluations and (of
// those in floating point) the first step with NaN of each reduction, 8 bytes each. Its address is
// the last pointer of the packed arrays of a program with reductions; a program without them takes
// none.
class PackedResults {
 public:
  PackedResults(const kernel::Plan& plan, const reference::State& state);

  bool empty() const { return plan_.reductions.empty(); }
  void* data() { return words_.data(); }

  // The call has done its work: puts what it gave back into the state, whose step moves on; returns
  // the steps done. `steps`: what the call was asked for.
  int64_t take(int64_t steps, reference::State& state) const;

 private:
  const kernel::Plan& plan_;
  std::vector<uint64_t> words_;
};

}  // namespace stencil::property
