// Exchanges between GPUs that run without waiting on the host.
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

  // Whether all subdomains use NCCL for their accelerators. Each subdomain must have its own GPU,
  // all must have the same version of NCCL, and STENCIL_NCCL must not be 0. The first call for an
  // accelerator is collective (all_gather on `communicator`). If NCCL fails to start, the result is
  // false, not a failure.
  Result<bool> is_for(Accelerator& accelerator, Communicator& communicator);

  // Queues the transfers (Communicator::exchange) on an accelerator accepted by is_for(). R093.
  Status exchange(Accelerator& accelerator, std::span<const Transfer> transfers);

  // The destructor will abort communicators instead of waiting for queued work.
  void abandon();

  // "NCCL 2.21.5" if in use; the reason if it failed to start; else "".
  std::string description() const { return description_; }

 private:
  Result<nccl::Comm> start(const std::vector<std::string>& gpus, Communicator& communicator);
  Failure failed(nccl::Code code);

  bool broken_ = false;
  std::string description_;
  std::map<std::vector<std::string>, nccl::Comm> comms_;  // by the GPUs of all ranks; null: failed
  std::map<uint64_t, nccl::Comm> accelerators_;           // by serial(); null: NCCL not used
};

}  // namespace stencil::runtime
