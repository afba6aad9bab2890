// Registers and shared memory of a streamed tile.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

// Elements per vector access: a power of two that divides the patch's width.
int vector_length(const StreamPlan& plan, Scalar type);

// 32-bit registers per thread that compilers allocate without a limit: queues, a plane under
// construction, and addresses (docs/design/model.md, "Registers").
double expected_registers(const StreamPlan& plan);
// The estimate with a margin, at which a kernel hardly ever spills.
int estimate_registers(const StreamPlan& plan);

// The versions of a component, or of one of its partial sums. Their queues form one array of
// registers with equal sizes if the tile has several steps, else each version has its own array.
// Unused registers cost nothing on a GPU.
struct QueueSeries {
  std::vector<int> members;  // quantities, in order of their versions
  int ages = 1;
  QueuePlane plane;
};
std::vector<QueueSeries> queue_series(const StreamPlan& plan);

// Upper bound, in bytes, on the queues of all threads of a block and related per-thread arrays.
int64_t queue_bytes(const StreamPlan& plan, int threads);

// Shared memory per block, in bytes: published rows, copied planes and, on machines without
// shuffles, the memory that emulates shuffles. `tiles`: rows of threads with a tile of their own
// (2-D).
int64_t shared_bytes(const StreamPlan& plan, int tiles);

// Rows of `cover[0]` points that one copied plane of a tile takes in shared memory. Bulk copies
// require kernel::kBulkAlignment, so some rows may be unused.
int64_t ring_rows(const StreamPlan& plan, Scalar type);

// The published rows of a patch, in the order of their place in shared memory.
std::vector<int> published_rows(const Quantity& quantity, int patch_rows);

}  // namespace stencil::schedule
