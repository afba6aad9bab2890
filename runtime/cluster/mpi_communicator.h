// The subdomains of a run as MPI processes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/cluster/mpi_library.h"
#include "runtime/cluster/nccl_exchange.h"
#include "runtime/devices/communicator.h"

namespace stencil::runtime {

// Failing calls return R093 with the text of MPI or NCCL. A process that gives up must call
// `abandon`; otherwise the others would wait for it forever.
class MpiCommunicator : public Communicator {
 public:
  MpiCommunicator(const MpiLibrary& library, StencilMpiGroup* group);
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  ~MpiCommunicator() override;

  int size() const override { return interface_.size(group_); }
  int rank() const override { return interface_.rank(group_); }
  // The rank among the processes on the same machine, from 0; selects the GPU.
  int rank_on_node() const { return interface_.rank_on_node(group_); }

  // Decides whether exchanges use NCCL, and opens it if they do.
  Status meet(Accelerator& accelerator) override;
  // Uses NCCL if every subdomain has its own GPU and NCCL; the exchange is then queued, not waited
  // for. Otherwise uses MPI, which waits for the device. MPI reads device memory directly if it
  // can; otherwise data are staged through host memory. The first meet() or exchange() of an
  // accelerator makes this choice, so it is collective.
  Status exchange(Accelerator& accelerator, std::span<const Transfer> transfers) override;
  Result<std::vector<std::string>> all_gather(const std::string& own) override;

  // Ends all processes, including this one, with status kAbandoned by MPI_Abort, unless this is the
  // only one. The caller must print the failure first; output is flushed here.
  void abandon(const Failure& failure) override;
  static constexpr int kAbandoned = 3;  // exit status

  // "Open MPI 4.1.4, NCCL 2.21.5"; NCCL is named once it is in use.
  std::string description() const;

  // Splits messages of more than `bytes` bytes; for tests. All processes must use the same limit.
  void limit_pieces(int64_t bytes) { interface_.limit_pieces(group_, bytes); }

 private:
  std::byte* reachable(Accelerator& accelerator, Accelerator::Memory memory) const;
  Status exchange_by_mpi(Accelerator& accelerator, std::span<const Transfer> transfers);

  const StencilMpiInterface& interface_;
  StencilMpiGroup* group_;
  NcclExchange nccl_;
  std::optional<Failure> abandoned_;
  std::vector<std::byte> sent_, received_;  // staging buffers in host memory
};

// Opens a group of the processes in the user's communicator (MPI_Comm*), or of all processes; null
// means all. Collective. Initialises MPI if necessary. The communicator is duplicated, so the user
// may free it. R092 if MPI cannot be used.
Result<std::unique_ptr<MpiCommunicator>> open_mpi(void* users_communicator = nullptr);

// Whether an MPI launcher started this process as one of several. If the launcher does not give the
// number, this function initialises MPI to get it. If MPI cannot be initialised, returns true, so
// that open_mpi() reports the reason.
bool started_by_mpi();

// Finalises MPI now, if open_mpi initialised it, instead of at process exit. Collective; no
// communicator may be in use.
void finish_mpi();

}  // namespace stencil::runtime
