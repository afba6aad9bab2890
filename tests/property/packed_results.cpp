// The layout is that of compiler/emit/host_api.cpp. All members have 8
// bytes, so there is no padding.
#include "tests/property/packed_results.h"

#include <bit>

namespace stencil::property {

namespace {

constexpr size_t kStepsDone = 0, kStopped = 1, kFirstReduction = 2;  // indices of 8-byte words

}  // namespace

PackedResults::PackedResults(const kernel::Plan& plan, const reference::State& state)
    : plan_(plan) {
  words_ = {0, state.stopped};
  for (size_t r = 0; r < plan.reductions.size(); ++r) {
    const reference::ReductionValue& value = state.reductions[r];
    if (kernel::has_value(plan.reductions[r])) {
      words_.push_back(is_float(value.type) ? std::bit_cast<uint64_t>(value.real)
                                            : static_cast<uint64_t>(value.integer));
    }
    words_.push_back(static_cast<uint64_t>(value.evaluations));
    const bool tells_nan = plan.reductions[r].first_nan != kernel::kNoScratch;
    if (tells_nan) words_.push_back(static_cast<uint64_t>(value.first_nan));
  }
}

int64_t PackedResults::take(int64_t steps, reference::State& state) const {
  const int64_t done = empty() ? steps : static_cast<int64_t>(words_[kStepsDone]);
  state.step += done;
  if (empty()) return done;
  state.stopped = words_[kStopped] != 0;
  const uint64_t* word = &words_[kFirstReduction];
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    reference::ReductionValue& value = state.reductions[r];
    if (kernel::has_value(plan_.reductions[r])) {
      const uint64_t bits = *word++;
      if (is_float(value.type)) {
        value.real = std::bit_cast<double>(bits);
      } else {
        value.integer = static_cast<int64_t>(bits);
      }
    }
    value.evaluations = static_cast<int64_t>(*word++);
    const bool tells_nan = plan_.reductions[r].first_nan != kernel::kNoScratch;
    if (tells_nan) value.first_nan = static_cast<int64_t>(*word++);
  }
  return done;
}

}  // namespace stencil::property
