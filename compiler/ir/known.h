// Evaluates operations on known values, at compile time or before a run.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

// A float type's constant: `value`, rounded to the type.
Constant known_real(Scalar type, double value);

// The value of an operation, bit for bit as the reference interpreter computes it. `type` is the
// type of the result, `from` that of the first operand. Neither is a storage type (half, byte).
Constant evaluate_known(Op op, Scalar type, Scalar from, const std::vector<Constant>& operands);

// Adds the node, with constant folding. If all operands are constants, the node becomes a constant,
// unless its value is not finite. Select, And and Or are also simplified if only some operands are
// known.
NodeId add_known(Graph& graph, Node node);

// The values of all nodes of a graph over params, for the given values of the params by ParamId.
std::vector<Constant> evaluate_on_params(const Graph& graph, const std::vector<int64_t>& integers,
                                         const std::vector<double>& reals);

}  // namespace stencil::ir
