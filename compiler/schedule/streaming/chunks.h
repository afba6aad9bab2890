// How a streamed grid is shared among blocks.
#pragma once

#include <cstdint>

#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

int threads_of(const Schedule& schedule);

// Shared memory of a block, in bytes.
int64_t shared_bytes(const Schedule& schedule, const StreamPlan& plan);

// Registers that a thread may have when so many blocks share a multiprocessor.
int register_limit(const Machine& machine, int blocks, int threads);

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

}  // namespace stencil::schedule
