// A program on the processes of MPI, a part each. Rank 0 drives: it takes the decisions of a run
// and begins and names its files, and its sessions tell the other ranks what to do, which serve it
// until it has no more use for the program. Fields are where the parts are; all ranks read and
// write their rows of files.
#pragma once

#include <memory>
#include <string>

#include "runtime/cluster/decomposed.h"
#include "runtime/devices/communicator.h"

namespace stencil::runtime {

// The part of this rank; on rank 0 `prepared.loaded` starts sessions of the whole program.
struct RankProgram {
  Prepared prepared;
  // On other ranks: does what rank 0 says, until that gives up the program. A failure of this
  // rank's part is printed and ends all ranks.
  std::function<Status()> serve;
};

// All ranks call it together, with the same arguments but for `integers`, `request` and `known`,
// which count on rank 0. `device`: "cuda" stands for the GPU with the rank's number on its machine.
// Fails on all ranks where it fails on one.
Result<RankProgram> prepare_rank(std::shared_ptr<Communicator> ranks, int rank_on_node,
                                 const ir::Program& program, const std::vector<int64_t>& integers,
                                 const CutRequest& request, const std::string& device,
                                 const std::string& schedule_line, Diagnostics& diagnostics,
                                 const StageCallback& stage = {}, const KnownPartLines& known = {});

// Fails on all ranks where it failed on one, which the message then names.
Status agree(Communicator& ranks, const Status& own);

}  // namespace stencil::runtime
