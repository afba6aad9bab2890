// What is the same at all points of a sweep: computed from params, `time`, series, reductions and
// constants alone.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

struct Uniformity {
  std::vector<bool> uniform;  // by NodeId: no field or index takes part
  // By NodeId: constants alone take part, and no function whose value libraries differ in.
  // Compilers compute it themselves, and more with it where it stands (a quotient by it becomes a
  // product).
  std::vector<bool> known;
  // By NodeId: `time`, a reduction or a field takes part, so a uniform value changes with steps.
  std::vector<bool> timed;

  // An operation, or a read of a series, with one value for all points. A schedule computes it
  // once, apart from the points (schedule/parts/kernel_scope.h), so it costs a point nothing.
  // Values of storage types (half, byte) are not: they exist in memory only.
  bool computed_once(const Graph& graph, NodeId id) const;
};
Uniformity uniformity(const Graph& graph);

}  // namespace stencil::ir
