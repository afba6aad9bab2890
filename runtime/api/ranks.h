// The MPI ranks that this process has joined.
#pragma once

#include <memory>

#include "runtime/cluster/mpi_communicator.h"
#include "stencil/ranks.h"

namespace stencil::api {

// Null before join_ranks().
std::shared_ptr<runtime::MpiCommunicator> joined_ranks();

}  // namespace stencil::api
