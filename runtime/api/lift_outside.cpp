#include "runtime/api/lift_outside.h"

#include <fmt/format.h>

#include <algorithm>

namespace stencil::api {

void LiftOutside::note(size_t array, const LiftCase& one) {
  constexpr size_t kMostNoted = 16;
  if (cases_.size() < kMostNoted) cases_.emplace_back(array, one);
}

std::string LiftOutside::text(const lifter::Lifted& lifted, const LiftPlan& plan,
                              const std::vector<LiftCase>& compared) const {
  for (const auto& [array, one] : cases_) {
    const LiftCase& outside = one;
    const lifter::ArrayInfo& info = lifted.execution.arrays[array];
    const bool declared = std::none_of(info.extents.begin(), info.extents.end(),
                                       [](lifter::X extent) { return extent == nullptr; });
    const auto size_of = [](const LiftCase& in, int symbol) {
      const auto found = in.integers.find(symbol);
      return found == in.integers.end() ? 0 : found->second;
    };
    const bool beyond = std::any_of(compared.begin(), compared.end(), [&](const LiftCase& run) {
      return std::all_of(plan.sizes().begin(), plan.sizes().end(), [&](int symbol) {
        return size_of(run, symbol) <= size_of(outside, symbol);
      });
    });
    if (declared && !beyond) continue;
    return fmt::format("the original accesses elements outside of the program's array '{}' ({})",
                       info.in_c, plan.sizes_text({outside}));
  }
  return "";
}

}  // namespace stencil::api
