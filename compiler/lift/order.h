// Converts the stores of an execution to functions of a step. Proves that the points of each
// function may be computed in any order.
#pragma once

#include "compiler/lift/shape.h"

namespace stencil::lifter {

struct StepPiece {
  // The point that the values are stored to: its subscripts and domain.
  const Store* point = nullptr;
  std::vector<X> values;  // one value for each target; null: the target is unchanged
};

struct StepFunction {
  std::vector<ArrayPart> targets;
  std::vector<StepPiece> pieces;
  CPlace place;
  int64_t epoch = 0;  // number of the nest that the function comes from
};

// Throws Refusal if the order of iterations matters.
std::vector<StepFunction> functions_of(Pool& pool, const Execution& execution,
                                       const Shapes& shapes);

// If the domain of a counter has one point, replaces the counter by that point. Also removes the
// times of loads.
void tidy(Pool& pool, Execution& execution);

}  // namespace stencil::lifter
