// Exchanges between GPUs that no host waits for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/cluster/nccl.h"
#include "runtime/devices/communicator.h"

namespace stencil::runtime {

class NcclExchange {
 public:
  NcclExchange() = default;
  NcclExchange(const NcclExchange&) = delete;
  NcclExchange& operator=(const NcclExchange&) = delete;
  ~NcclExchange();

  // Whether all parts take NCCL for their accelerators: each has a GPU of its own and the same
  // NCCL, and STENCIL_NCCL is not 0. Asked of an accelerator for the first time, the parts find out
  // together, by what `parts` gathers; an NCCL that does not start is not taken, and no failure.
  Result<bool> is_for(Accelerator& accelerator, Communicator& parts);

  // Queues the transfers (Communicator::exchange) where is_for has said yes. R093.
  Status exchange(Accelerator& accelerator, std::span<const Transfer> transfers);

  // Waits for nobody any more.
  void abandon();

  // "NCCL 2.21.5", where it is in use; why not, where it has failed to start; else nothing.
  std::string description() const { return description_; }

 private:
  Result<nccl::Comm> start(const std::vector<std::string>& gpus, Communicator& parts);
  Failure failed(nccl::Code code);

  bool broken_ = false;
  std::string description_;
  std::map<std::vector<std::string>, nccl::Comm> comms_;  // by the GPUs of all parts; null: none
  std::map<uint64_t, nccl::Comm> accelerators_;           // by serial(); null: not for it
};

}  // namespace stencil::runtime
