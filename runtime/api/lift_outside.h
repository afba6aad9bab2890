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

  // Why the program is not verified; "" if only the original is at fault. The original is at fault
  // if it declares the length of the array and goes beyond it at sizes below all that were
  // compared. Otherwise the length that the lifter took from accesses is too short, so the program
  // computes something else.
  std::string text(const lifter::Lifted& lifted, const LiftPlan& plan,
                   const std::vector<LiftCase>& compared) const;

 private:
  std::vector<std::pair<size_t, LiftCase>> cases_;
};

}  // namespace stencil::api
