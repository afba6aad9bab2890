// Comparing the results of two runs, point by point.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/program.h"
#include "compiler/reference/state.h"

namespace stencil::runtime {

struct Difference {
  // "A[3, 0]", "U@-1[7]", "S.rho[0, 2]", in grid coordinates, "reduction energy", "steps": the
  // first
  std::string where;
  std::string expected, actual;
  int64_t count = 0;  // values that differ: points of all fields, reductions
};

// How close is close enough, per value: nothing but zeros asks for the same bits (any NaN equals
// any NaN). Otherwise a float may be off by `units` times the spacing of floats at the largest
// magnitude in its component (or the least normal number), or by `part` of that magnitude,
// whichever is more, and values that are not finite are not compared; the other types must still be
// the same.
struct Tolerance {
  double units = 0;
  double part = 0;
  bool exact() const { return units == 0 && part == 0; }
};

// The first difference between two states of one program at the same sizes: in the steps done, the
// reductions (how often they were evaluated, their values), or any level of any field.
std::optional<Difference> compare(const ir::Program& program, const reference::State& expected,
                                  const reference::State& actual, Tolerance tolerance = {});

// True if some result may differ in its last bits between maths libraries (exp, sin, pow, ...).
bool uses_transcendentals(const ir::Program& program);

}  // namespace stencil::runtime
