// Operations on values that are known: while compiling, or before a run.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

// A float type's constant: `value`, rounded to the type.
Constant known_real(Scalar type, double value);

// The value of an operation, with the bits that the reference interpreter gives. `type`: of the
// result; `from`: of the first operand. Neither is a storage type (half, byte).
Constant evaluate_known(Op op, Scalar type, Scalar from, const std::vector<Constant>& operands);

// Adds the node, or what stands for it where its operands are known: their value, unless that is
// not finite, or the one that is chosen.
NodeId add_known(Graph& graph, Node node);

// The values of all nodes of a graph over params, for values of these by ParamId.
std::vector<Constant> evaluate_on_params(const Graph& graph, const std::vector<int64_t>& integers,
                                         const std::vector<double>& reals);

}  // namespace stencil::ir
