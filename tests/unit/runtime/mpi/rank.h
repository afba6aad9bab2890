// Shared by the processes of the MPI tests. Each process checks its results, reports failures on
// stderr and exits with 1.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cluster/mpi_communicator.h"
#include "runtime/devices/accelerator.h"
#include "tests/unit/runtime/mpi/expect.h"
#include "tests/unit/runtime/mpi/fake_nccl.h"

namespace stencil::runtime {

// Returns the value, or ends the process.
template <class T>
T taken(Result<T> result, const char* what) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s: %s", what, result.failure().text().c_str());
    std::exit(1);
  }
  return std::move(result).value();
}

// A device that runs queued operations when it is waited for. Its memory is host memory, presented
// as host memory (Host), behind a handle (Apart) or as GPU memory (Gpu).
class QueueingAccelerator : public Accelerator {
 public:
  enum Kind { Host, Apart, Gpu };
  explicit QueueingAccelerator(Kind kind, std::string gpu = "") : kind_(kind), gpu_(gpu) {}

  Result<Memory> allocate(int64_t bytes) override {
    blocks_.push_back(std::make_unique<Block>(static_cast<size_t>(bytes)));
    Block* block = blocks_.back().get();
    return kind_ == Apart ? static_cast<Memory>(block) : static_cast<Memory>(block->data());
  }
  void release(Memory) override {}
  Status clear(Memory, int64_t) override { return Failure{"", "not needed", ""}; }
  Status launch(const Call&) override { return Failure{"", "not needed", ""}; }
  Status ask(Memory) override { return Failure{"", "not needed", ""}; }
  Result<int32_t> answer() override { return Failure{"", "not needed", ""}; }
  Status upload(Memory to, const std::byte* from, const Rows& rows) override {
    ++copies;
    EXPECT(rows.count == 1 && rows.bytes > 0);
    const Status waited = wait();
    std::memcpy(data(to) + rows.start, from, static_cast<size_t>(rows.bytes));
    return waited;
  }
  Status download(std::byte* to, Memory from, const Rows& rows) override {
    ++copies;
    EXPECT(rows.count == 1 && rows.bytes > 0);
    const Status waited = wait();
    std::memcpy(to, data(from) + rows.start, static_cast<size_t>(rows.bytes));
    return waited;
  }
  Status wait() override {
    ++waits;
    for (const auto& work : stream_.queued) work();
    stream_.queued.clear();
    return Done{};
  }
  std::byte* host_pointer(Memory memory) override { return kind_ == Host ? data(memory) : nullptr; }
  void* device_pointer(Memory memory) override { return kind_ == Gpu ? memory : nullptr; }
  std::optional<CudaStream> cuda_stream() override {
    if (kind_ != Gpu) return std::nullopt;
    return CudaStream{&stream_, gpu_};
  }

  // The address of the bytes, for the tests only.
  std::byte* data(Memory memory) {
    return kind_ == Apart ? static_cast<Block*>(memory)->data() : static_cast<std::byte*>(memory);
  }
  void queue(std::function<void()> work) { stream_.queued.push_back(std::move(work)); }

  int copies = 0, waits = 0;

 private:
  using Block = std::vector<std::byte>;
  Kind kind_;
  std::string gpu_;
  std::vector<std::unique_ptr<Block>> blocks_;
  nccl::FakeStream stream_;
};

// The transfers of each rank in a test.
using Pattern = std::function<std::vector<Transfer>(int rank, int size)>;
struct NamedPattern {
  const char* name;
  Pattern pattern;
};
const std::vector<NamedPattern>& patterns();
constexpr int64_t kBufferBytes = 1 << 16;

// Byte `at` that rank `rank` sends in round `round`.
std::byte sent_byte(int rank, int round, int64_t at);

// The expected contents of the receive buffer, which was filled with 0xee.
std::vector<std::byte> expected_bytes(const Pattern& pattern, int rank, int size, int round);

// Exchanges by every pattern in three rounds.
void check_patterns(Communicator& communicator, QueueingAccelerator& accelerator);

// The cases by name (rank_cases.cpp, rank_gpus.cpp).
void case_exchange();
void case_gather();
void case_wrong_messages();
void case_abandon();
void case_alone();
void case_unusable();
void case_started();
void case_nccl();
void case_no_nccl(const std::string& why);
void case_broken_nccl();
void case_gpus();

}  // namespace stencil::runtime
