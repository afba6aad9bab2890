// Operations that take a GPU more than an instruction.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace stencil::schedule {

// Operations per point that take a GPU more than an instruction.
struct SlowOperations {
  int calls = 0;  // in subroutines, which take registers and time: correctly rounded divisions and
                  // roots (in double all of them), and functions like exp
  int placed_calls = 0;  // those of them that read no field: values of a place, which points side
                         // by side and later steps can share
  int multiplied = 0;  // divisions that are multiplied out, but for those by powers of two
};
SlowOperations slow_operations(const ir::Graph& graph, const std::vector<ir::NodeId>& results,
                               FpMode fp);

}  // namespace stencil::schedule
