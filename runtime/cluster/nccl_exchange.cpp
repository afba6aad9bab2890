// NCCL has no tags: messages between two ranks arrive in the order of the calls. Both sides
// therefore sort the messages between them by tag.
//
// All ranks must make the same choice; otherwise one would wait in MPI for data that another gave
// to NCCL. So ranks gather their GPUs at the first exchange of each accelerator. A session has one
// accelerator, so all ranks reach this point together.
#include "runtime/cluster/nccl_exchange.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include "compiler/support/try.h"

namespace stencil::runtime {

namespace {

// NCCL version, machine and GPU of this rank; empty if it cannot or must not use NCCL.
std::string gpu_for_nccl(Accelerator& accelerator) {
  const char* const wanted = std::getenv("STENCIL_NCCL");
  if (wanted != nullptr && std::string_view(wanted) == "0") return "";
  const auto stream = accelerator.cuda_stream();
  if (!stream || stream->gpu.empty()) return "";
  if (!nccl::library().missing.empty()) return "";
  char machine[256] = "";
  if (gethostname(machine, sizeof machine - 1) != 0) return "";
  return fmt::format("{}\n{} {}", nccl::library().version, machine, stream->gpu);
}

bool all_take_nccl(const std::vector<std::string>& gpus) {
  const auto version = [](const std::string& gpu) { return gpu.substr(0, gpu.find('\n')); };
  for (const std::string& gpu : gpus) {
    if (gpu.empty() || version(gpu) != version(gpus[0])) return false;
  }
  return std::set<std::string>(gpus.begin(), gpus.end()).size() == gpus.size();
}

// One direction of a transfer.
struct Message {
  int peer, tag;
  Accelerator::Memory memory;
  int64_t offset, bytes;
};

// Sorted by tag, so that both sides have the same order.
std::vector<Message> messages_in_order(std::span<const Transfer> transfers, bool sent) {
  std::vector<Message> out;
  for (const Transfer& t : transfers) {
    out.push_back(
        sent ? Message{t.peer, t.send_tag, t.send, t.send_offset, t.send_bytes}
             : Message{t.peer, t.receive_tag, t.receive, t.receive_offset, t.receive_bytes});
    if (out.back().bytes == 0) out.pop_back();
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Message& a, const Message& b) { return a.tag < b.tag; });
  return out;
}

}  // namespace

NcclExchange::~NcclExchange() {
  for (const auto& [gpus, comm] : comms_) {
    if (comm == nullptr) continue;
    // ncclCommDestroy waits for queued work, which would hang after a failure.
    broken_ ? nccl::library().ncclCommAbort(comm) : nccl::library().ncclCommDestroy(comm);
  }
}

void NcclExchange::abandon() {
  broken_ = true;
}

Result<bool> NcclExchange::is_for(Accelerator& accelerator, Communicator& communicator) {
  const auto known = accelerators_.find(accelerator.serial());
  if (known != accelerators_.end()) return known->second != nullptr;
  const auto gpus = TRY(communicator.all_gather(gpu_for_nccl(accelerator)));
  nccl::Comm comm = nullptr;
  if (all_take_nccl(gpus)) {
    const auto started = comms_.find(gpus);
    if (started != comms_.end()) {
      comm = started->second;
    } else {
      const auto fresh = TRY(start(gpus, communicator));
      comm = comms_[gpus] = fresh;
    }
  }
  accelerators_[accelerator.serial()] = comm;
  return comm != nullptr;
}

// Null if NCCL fails to start on any rank. Requires the accelerator's context to be current.
Result<nccl::Comm> NcclExchange::start(const std::vector<std::string>& gpus,
                                       Communicator& communicator) {
  const nccl::Library& nccl = nccl::library();
  nccl::UniqueId id{};
  std::string own;
  if (communicator.rank() == 0) {
    const nccl::Code code = nccl.ncclGetUniqueId(&id);
    if (code == 0) own.assign(id.bytes, sizeof id.bytes);
    if (code != 0) description_ = "no NCCL: " + nccl::error_text(code);
  }
  const auto told = TRY(communicator.broadcast(own));
  if (told.size() != sizeof id.bytes) return nccl::Comm{nullptr};
  std::memcpy(id.bytes, told.data(), sizeof id.bytes);
  nccl::Comm comm = nullptr;
  const nccl::Code code =
      nccl.ncclCommInitRank(&comm, static_cast<int>(gpus.size()), id, communicator.rank());
  const auto outcomes = TRY(communicator.all_gather(code == 0 ? "" : nccl::error_text(code)));
  for (const std::string& outcome : outcomes) {
    if (outcome.empty()) continue;
    description_ = "no NCCL: " + outcome;
    if (code == 0) nccl.ncclCommAbort(comm);
    return nccl::Comm{nullptr};
  }
  description_ = "NCCL " + nccl.version;
  return comm;
}

Failure NcclExchange::failed(nccl::Code code) {
  broken_ = true;
  return {"R093", "NCCL failed to exchange data: " + nccl::error_text(code), ""};
}

Status NcclExchange::exchange(Accelerator& accelerator, std::span<const Transfer> transfers) {
  const nccl::Library& nccl = nccl::library();
  const nccl::Comm comm = accelerators_.at(accelerator.serial());
  const auto stream = accelerator.cuda_stream();  // makes its context current
  nccl::Code earlier = 0;
  nccl::Code code = nccl.ncclCommGetAsyncError(comm, &earlier);
  if (code == 0) code = earlier;
  if (code != 0) return failed(code);
  code = nccl.ncclGroupStart();
  if (code != 0) return failed(code);
  for (const Message& m : messages_in_order(transfers, true)) {
    const auto* at = static_cast<const std::byte*>(accelerator.device_pointer(m.memory)) + m.offset;
    if (code == 0) {
      code = nccl.ncclSend(at, static_cast<size_t>(m.bytes), nccl::kBytes, m.peer, comm,
                           stream->stream);
    }
  }
  for (const Message& m : messages_in_order(transfers, false)) {
    auto* at = static_cast<std::byte*>(accelerator.device_pointer(m.memory)) + m.offset;
    if (code == 0) {
      code = nccl.ncclRecv(at, static_cast<size_t>(m.bytes), nccl::kBytes, m.peer, comm,
                           stream->stream);
    }
  }
  // Every ncclGroupStart needs its ncclGroupEnd, even after an error.
  const nccl::Code ended = nccl.ncclGroupEnd();
  if (code == 0) code = ended;
  if (code != 0) return failed(code);
  return Done{};
}

}  // namespace stencil::runtime
