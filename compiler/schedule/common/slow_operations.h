// Operations that take more than one instruction on a GPU.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace stencil::schedule {

// Slow operations per point.
struct SlowOperations {
  int calls = 0;  // subroutines, which take registers and time: correctly rounded division and
                  // roots (in double precision always), and functions like exp
  int placed_calls = 0;  // calls that read no field: adjacent points and later steps can share them
  int multiplied = 0;    // divisions turned into multiplications, except by powers of two
};
SlowOperations slow_operations(const ir::Graph& graph, const std::vector<ir::NodeId>& results,
                               FpMode fp);

}  // namespace stencil::schedule
