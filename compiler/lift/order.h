// The stores of an execution as functions of a step, with a proof that points may be computed in
// any order.
#pragma once

#include "compiler/lift/shape.h"

namespace stencil::lifter {

struct StepPiece {
  const Store* point = nullptr;  // its subscripts are the points written
  std::vector<X> values;         // for each target; null: unchanged
};

struct StepFunction {
  std::vector<ArrayPart> targets;
  std::vector<StepPiece> pieces;
  CPlace place;
  int64_t epoch = 0;  // number of its nest
};

// Throws Refusal if the order of iterations matters.
std::vector<StepFunction> functions_of(Pool& pool, const Execution& execution,
                                       const Shapes& shapes);

// Replaces counters of one-point domains by that point and removes the times of loads.
void tidy(Pool& pool, Execution& execution);

}  // namespace stencil::lifter
