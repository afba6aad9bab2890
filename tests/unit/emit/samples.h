// Modules built by hand, in the shapes that lowering produces.
#pragma once

#include "compiler/kernel/plan.h"

namespace stencil::samples {

// One sweep of A_next = A + alpha * (sum of the 4 neighbours - 4 A) over the interior of an N x M
// grid, edges copied: a thread per point, sizes open, one rotation per step.
kernel::Module heat(FpMode fp = FpMode::Contract);

// A 1-D three-point mean on `size` points, two steps per launch: a shared tile with a halo of two,
// and a per-thread buffer that lives across a barrier.
kernel::Module tiled(int64_t tile_points = 64);

// Two levels of U, three copies: U_next = 2 U - U_previous + c (neighbour sum - 2 U).
kernel::Module wave();

// The first of `heat` and of `tiled` as plain loops: one block, one thread.
kernel::Module heat_plain();
kernel::Module heat_initial();

// A kernel `apply` that stores `value` to out[i], with in[i] (of `input`) as variable `x`.
kernel::Module pointwise(Scalar input, Scalar output, const kernel::Expr& value,
                         FpMode fp = FpMode::Contract);

}  // namespace stencil::samples
