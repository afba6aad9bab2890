// The `streaming` family: its pieces towards one another. What is kept and when is in
// stream_plan.h; the kernels are written in three layers, stream_tile.h (where a block is),
// stream_queues.h (what a thread keeps) and streaming.cpp (the whole); defaults, refusals and costs
// are in streaming_family.cpp.
#pragma once

#include "compiler/kernel/plan.h"
#include "compiler/schedule/stream_plan.h"

namespace stencil::schedule {

// No interface to GPUs but CUDA's tells of registers; those of the last generations have so many.
constexpr int kRegistersPerMultiprocessor = 65536;
constexpr int kRegistersPerThread = 248;  // of 255, with a margin

// Blocks per multiprocessor that a kernel's registers are rationed for.
int resident_blocks(const Schedule& schedule, const StreamPlan& plan);

// How the planes are cut into chunks, one per block. In 2-D the first and the last group of tiles
// run the tested body from end to end, which takes longer, so they are cut into shorter chunks:
// then all blocks that start together end together. Where sizes are open, or groups are few, all
// chunks have one length.
struct Chunks {
  int64_t length = 1;       // planes that a block writes
  int64_t edge_length = 1;  // in the first and the last group
  int64_t groups = 0;       // of tiles side by side; 0: edges are not set apart
};
Chunks cut_chunks(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan);

kernel::Module lower_streaming(const ir::Program& program, const Schedule& schedule,
                               const Machine& machine);

}  // namespace stencil::schedule
