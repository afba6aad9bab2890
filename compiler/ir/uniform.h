// Finds the values that are the same at all points of a sweep: those computed only from params,
// `time`, series without other dimensions, reductions and constants.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

struct Uniformity {
  // by NodeId: depends on no index and no field other than such a series
  std::vector<bool> uniform;
  // By NodeId: the value depends only on constants, through operations whose result does not differ
  // between math libraries. Target compilers fold such values and use them where they occur (a
  // division by one becomes a multiplication).
  std::vector<bool> known;
  // By NodeId: depends on `time`, a reduction or a field, so a uniform value changes from step to
  // step.
  std::vector<bool> timed;

  // True for an operation or a read of a series that has one value for all points. A schedule
  // computes it once, outside the loop over points (schedule/common/kernel_scope.h), so it costs
  // nothing per point. False for values of storage types (half, byte), which exist only in memory.
  bool computed_once(const Graph& graph, NodeId id) const;
};
Uniformity uniformity(const Graph& graph);

}  // namespace stencil::ir
