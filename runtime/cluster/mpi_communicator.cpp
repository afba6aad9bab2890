// Receives are posted before sends, so that incoming messages find their buffers. If MPI cannot
// access device memory, data pass through one host buffer per direction, dense and in the order of
// the transfers. Each message is sent as soon as it is in the buffer, while the next one is copied.
#include "runtime/cluster/mpi_communicator.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>

#include "compiler/support/try.h"
#include "runtime/cluster/launcher.h"

namespace stencil::runtime {

namespace {

Failure mpi_failure(const std::string& what, const StencilMpiError& error) {
  return {"R093", fmt::format("MPI failed {}: {}", what, error.text), ""};
}

// The MPI library, initialised.
Result<MpiLibrary> running_mpi() {
  const auto& library = MpiLibrary::open();
  if (!library.ok()) return library.failure();
  StencilMpiError error{};
  if (library.value().interface().initialise(&error) == 0) return library.value();
  return Failure{"R092", fmt::format("MPI cannot be used: {}", error.text), ""};
}

}  // namespace

MpiCommunicator::MpiCommunicator(const MpiLibrary& library, StencilMpiGroup* group)
    : interface_(library.interface()), group_(group) {}

MpiCommunicator::~MpiCommunicator() {
  interface_.close(group_);
}

// The address at which MPI can access the memory; null if it cannot.
std::byte* MpiCommunicator::reachable(Accelerator& accelerator, Accelerator::Memory memory) const {
  if (memory == nullptr) return nullptr;
  if (std::byte* host = accelerator.host_pointer(memory)) return host;
  if (interface_.takes_device_memory() == 0) return nullptr;
  return static_cast<std::byte*>(accelerator.device_pointer(memory));
}

Status MpiCommunicator::meet(Accelerator& accelerator) {
  const Result<bool> queued = nccl_.is_for(accelerator, *this);
  return queued.ok() ? Status(Done{}) : Status(queued.failure());
}

Status MpiCommunicator::exchange(Accelerator& accelerator, std::span<const Transfer> transfers) {
  if (abandoned_) return *abandoned_;
  const auto queued = TRY(nccl_.is_for(accelerator, *this));
  if (queued) return nccl_.exchange(accelerator, transfers);
  return exchange_by_mpi(accelerator, transfers);
}

Status MpiCommunicator::exchange_by_mpi(Accelerator& accelerator,
                                        std::span<const Transfer> transfers) {
  const Status waited = accelerator.wait();  // also makes the context current, which MPI needs
  if (!waited.ok()) return waited;
  size_t sent = 0, received = 0;  // bytes staged through the host
  for (const Transfer& t : transfers) {
    if (!reachable(accelerator, t.send)) sent += static_cast<size_t>(t.send_bytes);
    if (!reachable(accelerator, t.receive)) received += static_cast<size_t>(t.receive_bytes);
  }
  if (sent_.size() < sent) sent_.resize(sent);
  if (received_.size() < received) received_.resize(received);

  StencilMpiError error{};
  std::vector<std::byte*> places;  // destination of each receive
  std::byte* at = received_.data();
  for (const Transfer& t : transfers) {
    std::byte* const memory = reachable(accelerator, t.receive);
    places.push_back(memory ? memory + t.receive_offset : at);
    if (!memory) at += t.receive_bytes;
    if (t.receive_bytes == 0) continue;
    if (interface_.receive(group_, places.back(), t.receive_bytes, t.peer, t.receive_tag, &error) !=
        0) {
      return mpi_failure("to receive", error);
    }
  }
  at = sent_.data();
  for (const Transfer& t : transfers) {
    if (t.send_bytes == 0) continue;
    std::byte* const memory = reachable(accelerator, t.send);
    const std::byte* const place = memory ? memory + t.send_offset : at;
    if (!memory) {
      TRY(accelerator.download(at, t.send, {t.send_bytes, 1, t.send_offset}));
      at += t.send_bytes;
    }
    if (interface_.send(group_, place, t.send_bytes, t.peer, t.send_tag, &error) != 0) {
      return mpi_failure("to send", error);
    }
  }
  if (interface_.wait(group_, &error) != 0) return mpi_failure("to exchange data", error);
  for (size_t n = 0; n < transfers.size(); ++n) {
    const Transfer& t = transfers[n];
    if (t.receive_bytes == 0 || reachable(accelerator, t.receive)) continue;
    TRY(accelerator.upload(t.receive, places[n], {t.receive_bytes, 1, t.receive_offset}));
  }
  return Done{};
}

Result<std::vector<std::string>> MpiCommunicator::all_gather(const std::string& own) {
  if (abandoned_) return *abandoned_;
  StencilMpiError error{};
  std::vector<int64_t> bytes(static_cast<size_t>(size()));
  if (interface_.all_gather_number(group_, static_cast<int64_t>(own.size()), bytes.data(),
                                   &error) != 0) {
    return mpi_failure("to gather", error);
  }
  std::vector<std::string> texts;
  std::vector<char*> places;
  for (const int64_t length : bytes) texts.emplace_back(static_cast<size_t>(length), '\0');
  for (std::string& text : texts) places.push_back(text.data());
  if (interface_.all_gather(group_, own.data(), bytes.data(), places.data(), &error) != 0) {
    return mpi_failure("to gather", error);
  }
  return texts;
}

void MpiCommunicator::abandon(const Failure& failure) {
  if (!abandoned_) abandoned_ = failure;
  nccl_.abandon();
  if (size() == 1) return;
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  interface_.abort(group_, kAbandoned);
}

std::string MpiCommunicator::description() const {
  const std::string nccl = nccl_.description();
  return interface_.description() + (nccl.empty() ? "" : ", " + nccl);
}

Result<std::unique_ptr<MpiCommunicator>> open_mpi(void* users_communicator) {
  const auto library = TRY(running_mpi());
  StencilMpiError error{};
  StencilMpiGroup* group = library.interface().open(users_communicator, &error);
  if (group == nullptr) {
    return Failure{"R092", fmt::format("MPI cannot be used: {}", error.text), ""};
  }
  auto out = std::make_unique<MpiCommunicator>(library, group);
  const Launched by = launched();
  if (users_communicator == nullptr && by.processes > 1 && out->size() == 1) {
    return Failure{"R092",
                   fmt::format("MPI cannot be used: {} processes were started ({}), but {} "
                               "knows only this one",
                               by.processes, by.variable, library.description()),
                   "start them with the mpiexec of that MPI (srun: --mpi=pmix or --mpi=pmi2)"};
  }
  return out;
}

bool started_by_mpi() {
  const Launched by = launched();
  if (by.variable.empty() || by.processes > 0) return by.processes > 1;
  const auto library = running_mpi();
  if (!library.ok()) return true;
  StencilMpiError error{};
  StencilMpiGroup* group = library.value().interface().open(nullptr, &error);
  if (group == nullptr) return true;
  const bool several = library.value().interface().size(group) > 1;
  library.value().interface().close(group);
  return several;
}

void finish_mpi() {
  const auto& library = MpiLibrary::open();
  if (library.ok()) library.value().interface().finalise();
}

}  // namespace stencil::runtime
