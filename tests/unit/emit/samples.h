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

// One step on a 24 x 32 grid in which every thread has 4 points in each of 2 rows: async copies to
// shared memory, vector copies from there and back to memory, and shuffles between. A point becomes
// the sum of itself, the points beside it and the second point of the thread two to the right; at
// the ends of a row a thread takes its own values for those of threads that do not exist.
kernel::Module exchange(Scalar type = Scalar::F32);

// One step on a 20 x 32 grid: A moves two rows up and three columns left, and zeros come in. Planes
// of 4 rows come as bulk copies, one ahead of its use.
kernel::Module boxes(Scalar type = Scalar::F32);

// 5 points, one kernel per tile size: a tile makes A = 2 A + 64 first + 8 count + (the size that
// the kernel is for), where `first` and `count` are the tile's.
kernel::Module tiles_of_sizes(const std::vector<int>& sizes);

// Two blocks of 2 x 1 x 2 x 3 x 2 threads. Every thread writes its place to A, x + 10 z + 100 w +
// 1000 v, adds it up with the one kept from before in a later section, and so has twice its place.
kernel::Module places();

// A kernel `apply` that stores `value` to out[i], with in[i] (of `input`) as variable `x`.
kernel::Module pointwise(Scalar input, Scalar output, const kernel::Expr& value,
                         FpMode fp = FpMode::Contract);

}  // namespace stencil::samples
