// Row kernels: one operator applied to whole rows of values.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/support/scalar.h"

namespace stencil::reference {

// out[i] = op(in[0][i], in[1][i], ...) for i < count. The rows are arrays of the C++ types of
// scalar_types.h (Bool: bool) and `out` overlaps no operand.
using Kernel = void (*)(void* out, const void* const* in, int64_t count);

// The kernel for an operator with these result and operand types; null if the language does not
// define the operator for them (sqrt of an integer, an addition of different types).
Kernel kernel_for(Op op, Scalar result, const std::vector<Scalar>& operands);

// out[i] = value for i < count, as `type`: `real` for the floating types, `integer` for the others.
void fill(Scalar type, double real, int64_t integer, void* out, int64_t count);

}  // namespace stencil::reference
