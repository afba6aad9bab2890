// Modules built by hand in the form that lowering produces.
#pragma once

#include "compiler/kernel/plan.h"

namespace stencil::samples {

// One step of A_next = A + alpha * (sum of the 4 neighbours - 4 A) over the interior of an N x M
// grid; edges are copied. One thread per point, open sizes, one buffer rotation per step.
kernel::Module heat(FpMode fp = FpMode::Contract);

// A 1-D three-point mean on `size` points, two steps per launch: a shared tile with a halo of two
// points, and a per-thread buffer that lives across a barrier.
kernel::Module tiled(int64_t tile_points = 64);

// Two levels of U, three copies: U_next = 2 U - U_previous + c (neighbour sum - 2 U).
kernel::Module wave();

// The first kernels of `heat` and `tiled` as plain loops: one block, one thread.
kernel::Module heat_plain();
kernel::Module heat_initial();

// One step on a 24 x 32 grid. Every thread has 4 points in each of 2 rows. It uses async copies to
// shared memory, vector copies from there and back to memory, and shuffles in between. A point
// becomes the sum of itself, its two neighbours, and the second point of the thread two to the
// right. At the ends of a row a thread uses its own values in place of missing threads.
kernel::Module exchange(Scalar type = Scalar::F32);

// One step on a 20 x 32 grid: A moves two rows up and three columns left, and zeros enter. Bulk
// copies load planes of 4 rows, one plane ahead of its use.
kernel::Module boxes(Scalar type = Scalar::F32);

// 5 points, one kernel per tile size. A tile computes A = 2 A + 64 first + 8 count + S, where S is
// the kernel's tile size, and `first` and `count` describe the tile's steps.
kernel::Module tiles_of_sizes(const std::vector<int>& sizes);

// Two blocks of 2 x 1 x 2 x 3 x 2 threads. Every thread writes its position x + 10 z + 100 w + 1000
// v to A. A later section adds the position kept from before, so A holds twice the position.
kernel::Module places();

// A kernel `apply` that stores `value` to out[i], with in[i] (of `input`) as variable `x`.
kernel::Module pointwise(Scalar input, Scalar output, const kernel::Expr& value,
                         FpMode fp = FpMode::Contract);

}  // namespace stencil::samples
