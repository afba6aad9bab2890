// Cases in which the original accesses elements that the arrays of the program do not have.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/api/lift_plan.h"

namespace stencil::api {

class LiftOutside {
 public:
  void note(size_t array, const LiftCase& one);

  // Why the program is not verified; "" if only the original is at fault. At sizes below all that
  // were compared, the original is at fault: `i == 0 ? 1 : i - 1` goes beyond an array of one
  // element. Beyond them, the length of the array is wrong, so the program computes something else.
  std::string text(const lifter::Lifted& lifted, const LiftPlan& plan,
                   const std::vector<LiftCase>& compared) const;

 private:
  std::vector<std::pair<size_t, LiftCase>> cases_;
};

}  // namespace stencil::api
