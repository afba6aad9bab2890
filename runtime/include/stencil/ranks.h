// Runs over several MPI processes. Rank 0 controls the run; the other ranks serve it:
//
//   const auto ranks = stencil::join_ranks();                 // all processes, or a communicator
//   const auto kernel = program.compile({.ranks = true});     // collective, same arguments
//   if (!ranks.ok() || !kernel.ok()) return 3;                // fails on all ranks or on none
//   if (kernel.value().serves()) return kernel.value().serve().ok() ? 0 : 3;
//   auto simulation = kernel.value().start();                 // rank 0, as in a serial run
#pragma once

#include "stencil/result.h"

namespace stencil {

struct Ranks {
  int rank = 0;
  int size = 1;
};

// Whether an MPI launcher started this process as one of several.
STENCIL_API bool started_by_mpi();

// Initialises MPI if necessary and selects the processes for all kernels compiled from now on with
// KernelOptions::ranks. `communicator` is an MPI_Comm*, duplicated here, so the caller may free it;
// null means all processes. Collective. R092.
STENCIL_API Result<Ranks> join_ranks(void* communicator = nullptr);

// Collective after join_ranks(): fails on all ranks if any rank passes a failure; the message names
// that rank. In a process that has not joined, returns `own`.
STENCIL_API Status agree(const Status& own);

}  // namespace stencil
