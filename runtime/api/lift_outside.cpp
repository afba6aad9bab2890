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
    const auto size_of = [](const LiftCase& in, int symbol) {
      const auto found = in.integers.find(symbol);
      return found == in.integers.end() ? 0 : found->second;
    };
    const auto smaller = [&](const LiftCase& run) {
      bool less = false;
      for (int symbol : plan.sizes()) {
        if (size_of(run, symbol) > size_of(outside, symbol)) return false;
        less = less || size_of(run, symbol) < size_of(outside, symbol);
      }
      return less && run.steps > 0;
    };
    if (std::none_of(compared.begin(), compared.end(), smaller)) continue;
    return fmt::format("the original accesses elements outside of the program's array '{}' ({})",
                       info.c_expression, plan.sizes_text({outside}));
  }
  return "";
}

}  // namespace stencil::api
