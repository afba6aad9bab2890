// Compares the results of two runs point by point.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/program.h"
#include "compiler/reference/state.h"

namespace stencil::runtime {

struct Difference {
  // The first difference, in grid coordinates: "A[3, 0]", "U@-1[7]", "S.rho[0, 2]"; or "reduction
  // energy", "steps".
  std::string where;
  std::string expected, actual;
  int64_t count = 0;  // differing values: points of all fields, reductions
};

// Permitted differences per value. With both members 0, results must have the same bits (any NaN
// equals any NaN). Otherwise a float may differ by `units` times the float spacing at the largest
// magnitude of its component (or at the least normal number), or by `part` of that magnitude,
// whichever is more. Values that are not finite are then not compared. Other types must always be
// equal.
struct Tolerance {
  double units = 0;
  double part = 0;
  bool exact() const { return units == 0 && part == 0; }
};

// The first difference between two states of one program at the same sizes: in the step, the
// reductions (number of evaluations, values), or any level of any field.
std::optional<Difference> compare(const ir::Program& program, const reference::State& expected,
                                  const reference::State& actual, Tolerance tolerance = {});

// Whether some result may depend on the maths library (exp, sin, pow, ...) in its last bits.
bool uses_transcendentals(const ir::Program& program);

}  // namespace stencil::runtime
