// What a streamed tile takes of a GPU: registers and shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

// Elements of one vector access to memory: a power of two that divides the patch's width.
int vector_length(const StreamPlan& plan, Scalar type);

// 32-bit registers that compilers were seen to give a thread where nothing limits them: what queues
// keep from one iteration to the next, a plane in the making, and addresses (docs/model.md,
// "Registers").
double expected_registers(const StreamPlan& plan);
// With which a kernel hardly ever spills.
int estimate_registers(const StreamPlan& plan);

// The versions of a component, or of one of its partial sums: their queues are one array of
// registers, with room for whichever needs most (where the tile has several steps; else each
// version is by itself). Registers that nobody uses cost a GPU nothing.
struct QueueSeries {
  std::vector<int> members;  // quantities, in the order of their versions
  int ages = 1;
  QueuePlane plane;
};
std::vector<QueueSeries> queue_series(const StreamPlan& plan);

// What the queues of all threads of a block take, in bytes, and at most what goes with them.
int64_t queue_bytes(const StreamPlan& plan, int threads);

// Shared memory per block, in bytes: published rows and copied planes, and on a machine without
// shuffles the places through which the columns of a queue's plane pass. `tiles`: rows of threads
// that are tiles of their own (2-D).
int64_t shared_bytes(const StreamPlan& plan, int tiles);

// Rows of `cover[0]` points that one copied plane of a tile takes in shared memory. Bulk copies
// bring planes to multiples of kernel::kBulkAlignment, so some rows may be left unused.
int64_t ring_rows(const StreamPlan& plan, Scalar type);

// The rows of a patch that are published, in order: their places in shared memory.
std::vector<int> published_rows(const Quantity& quantity, int patch_rows);

}  // namespace stencil::schedule
