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

// Collective. All ranks must pass the same arguments, except `integers`, `request` and `known`:
// only rank 0's values of these are used. `device`: "cuda" means the GPU numbered `rank_on_node`.
// If it fails on one rank, it fails on all.
Result<RankProgram> prepare_rank(std::shared_ptr<Communicator> ranks, int rank_on_node,
                                 const ir::Program& program, const std::vector<int64_t>& integers,
                                 const CutRequest& request, const std::string& device,
                                 const std::string& schedule_line, Diagnostics& diagnostics,
                                 const StageCallback& stage = {},
                                 const KnownSubdomainLines& known = {});

// If one rank passes a failure, returns a failure on all ranks; the message names that rank.
// Collective.
Status agree(Communicator& ranks, const Status& own);

}  // namespace stencil::runtime
