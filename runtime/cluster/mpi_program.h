// A decomposed program over MPI processes, one subdomain per rank. Rank 0 controls the run: it
// decides, creates and names files, and its sessions send commands to the other ranks, which serve
// them until rank 0 releases the program. Each rank holds its subdomain's fields and reads and
// writes its rows of files.
#pragma once

#include <memory>
#include <string>

#include "runtime/cluster/decomposed.h"
#include "runtime/devices/communicator.h"

namespace stencil::runtime {

// The subdomain of this rank. On rank 0 `prepared.loaded` starts sessions of the whole program.
struct RankProgram {
  Prepared prepared;
  // On other ranks: executes rank 0's commands until it releases the program. If this rank's
  // subdomain fails, the failure is printed and all ranks end.
  std::function<Status()> serve;
};

// Collective. All arguments must be the same, except `integers`, `request` and `known`, of which
// only rank 0's are used. `device`: "cuda" means the GPU numbered `rank_on_node`. Fails on all
// ranks if it fails on one.
Result<RankProgram> prepare_rank(std::shared_ptr<Communicator> ranks, int rank_on_node,
                                 const ir::Program& program, const std::vector<int64_t>& integers,
                                 const CutRequest& request, const std::string& device,
                                 const std::string& schedule_line, Diagnostics& diagnostics,
                                 const StageCallback& stage = {},
                                 const KnownSubdomainLines& known = {});

// Fails on all ranks if it failed on one; the message names that rank. Collective.
Status agree(Communicator& ranks, const Status& own);

}  // namespace stencil::runtime
