// The stores of an execution as functions of a step, with proof that points may be computed in any
// order.
#pragma once

#include "compiler/lift/shape.h"

namespace stencil::lifter {

struct StepPiece {
  const Store* point = nullptr;  // whose subscripts say where it writes
  std::vector<X> values;         // of each target; null: it keeps what it has
};

struct StepFunction {
  std::vector<Part> targets;
  std::vector<StepPiece> pieces;
  CPlace place;
  int64_t epoch = 0;  // of its nest
};

// Throws Refusal where the order of iterations matters.
std::vector<StepFunction> functions_of(Pool& pool, const Execution& execution,
                                       const Shapes& shapes);

// Counters whose domain is one point are that point; loads are the same wherever they were read.
void tidy(Pool& pool, Execution& execution);

}  // namespace stencil::lifter
