// Cuts a streamed grid into chunks and limits registers and occupancy.
#pragma once

#include <cstdint>

#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

int threads_of(const Schedule& schedule);

// Shared memory of a block, in bytes.
int64_t shared_bytes(const Schedule& schedule, const StreamPlan& plan);

// Registers per thread if this many blocks share a multiprocessor.
int register_limit(const Machine& machine, int blocks, int threads);

// The occupancy (blocks per multiprocessor) that limits a kernel's registers.
int occupancy_of(const Schedule& schedule, const StreamPlan& plan);

// The planes cut into chunks, one per block. In 2-D the first and the last group of tiles run the
// tested body throughout, which is slower. These boundary groups get shorter chunks, so that all
// blocks that start together end together. If sizes are open or there are few groups, all chunks
// have the same length.
struct Chunks {
  int64_t length = 1;           // planes that a block writes
  int64_t boundary_length = 1;  // in the first and the last group
  int64_t groups = 0;           // groups of tiles; 0: no separate chunks in the boundary groups
};
Chunks cut_chunks(const ir::Program& program, const Schedule& schedule, const StreamPlan& plan);

}  // namespace stencil::schedule
