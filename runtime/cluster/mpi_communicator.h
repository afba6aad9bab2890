// The parts of a run as processes of MPI.
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

// Calls that fail give R093 with what MPI or NCCL say. A part that gives up must call `abandon`:
// MPI gives the others no other sign, and they would wait for it.
class MpiCommunicator : public Communicator {
 public:
  MpiCommunicator(const MpiLibrary& library, StencilMpiGroup* group);
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  ~MpiCommunicator() override;

  int size() const override { return interface_.size(group_); }
  int rank() const override { return interface_.rank(group_); }
  // Among the parts that are on one machine with this one, from 0: which of its GPUs to take.
  int rank_on_node() const { return interface_.rank_on_node(group_); }

  // Whether exchanges go through NCCL, which is opened here if they do.
  Status meet(Accelerator& accelerator) override;
  // Through NCCL, queued and not waited for, where all parts run on GPUs of their own and have it.
  // Otherwise through MPI, which waits for the device: from where the data are if MPI takes such
  // memory, else by way of the host's memory. The first exchange of an accelerator finds out, and
  // all parts must make it together.
  Status exchange(Accelerator& accelerator, std::span<const Transfer> transfers) override;
  Result<std::vector<std::string>> all_gather(const std::string& own) override;

  // Ends all processes with kAbandoned, this one too, by MPI_Abort, unless it is the only one. So
  // the caller prints the failure first; what was printed is flushed here.
  void abandon(const Failure& failure) override;
  static constexpr int kAbandoned = 3;  // exit status

  // "Open MPI 4.1.4, NCCL 2.21.5", the latter once it is in use.
  std::string description() const;

  // Messages of more than so many bytes go in pieces; for tests, and for all parts alike.
  void limit_pieces(int64_t bytes) { interface_.limit_pieces(group_, bytes); }

 private:
  std::byte* reachable(Accelerator& accelerator, Accelerator::Memory memory) const;
  Status exchange_by_mpi(Accelerator& accelerator, std::span<const Transfer> transfers);

  const StencilMpiInterface& interface_;
  StencilMpiGroup* group_;
  NcclExchange nccl_;
  std::optional<Failure> abandoned_;
  std::vector<std::byte> sent_, received_;  // on their way through the host's memory
};

// Processes of the user's communicator (MPI_Comm*), or all that were started together; they call
// this together. Initialises MPI unless that was done. The user's communicator is duplicated, and
// may be freed. R092 if MPI cannot be used.
Result<std::unique_ptr<MpiCommunicator>> open_mpi(void* users_communicator = nullptr);

// Whether this process is one of several that a launcher of MPI started. Where the launcher does
// not say how many they are, MPI is opened and asked; true if that fails, for open_mpi to say why.
bool started_by_mpi();

// Finalises MPI now, if open_mpi has initialised it, and not when the process exits. All processes
// wait for each other; no communicator may be in use.
void finish_mpi();

}  // namespace stencil::runtime
