// Collects the cases in which the original accesses elements outside the program's arrays.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/api/lift_plan.h"

namespace stencil::api {

class LiftOutside {
 public:
  void note(size_t array, const LiftCase& one);

  // The reason why the program is not verified; "" if only the original is at fault. The original
  // is at fault if every compared case has larger sizes: `i == 0 ? 1 : i - 1` leaves an array of
  // one element. If an outside access also occurs at sizes larger than those of some compared case,
  // the program's array length is wrong.
  std::string text(const lifter::Lifted& lifted, const LiftPlan& plan,
                   const std::vector<LiftCase>& compared) const;

 private:
  std::vector<std::pair<size_t, LiftCase>> cases_;
};

}  // namespace stencil::api
