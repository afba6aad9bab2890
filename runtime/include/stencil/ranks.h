// Runs on several processes of MPI. Rank 0 drives; the others serve it:
//
//   const auto ranks = stencil::join_ranks();                 // all of them, or a communicator
//   const auto kernel = program.compile({.ranks = true});     // together, on all ranks alike
//   if (!ranks.ok() || !kernel.ok()) return 3;                // on all, if on one
//   if (kernel.value().serves()) return kernel.value().serve().ok() ? 0 : 3;
//   auto simulation = kernel.value().start();                 // rank 0 goes on as if it were alone
#pragma once

#include "stencil/result.h"

namespace stencil {

struct Ranks {
  int rank = 0;
  int size = 1;
};

// Whether a launcher of MPI has started this process as one of several.
STENCIL_API bool started_by_mpi();

// Opens MPI, unless that was done, and takes the processes of a communicator for all kernels from
// now on that are compiled with KernelOptions::ranks. `communicator`: an MPI_Comm*, which is
// duplicated and may be freed; null: all processes. They call it together. R092.
STENCIL_API Result<Ranks> join_ranks(void* communicator = nullptr);

// Fails on all ranks where it failed on one, which the message then names. They call it together,
// after join_ranks(); a process that has not joined gets its own back.
STENCIL_API Status agree(const Status& own);

}  // namespace stencil
