// NCCL: the fake one, and the real one if there are GPUs.
#include <unistd.h>

#include <chrono>

#include "runtime/devices/cuda_driver.h"
#include "tests/unit/runtime/mpi/rank.h"

namespace stencil::runtime {

namespace {

bool uses_nccl(const MpiCommunicator& communicator) {
  return communicator.description().find(", NCCL ") != std::string::npos;
}

std::string gpu_number(int rank) {
  return "0000:0" + std::to_string(rank) + ":00.0";
}

}  // namespace

void case_nccl() {
  const auto communicator = taken(open_mpi(), "open_mpi");
  EXPECT(!uses_nccl(*communicator));
  QueueingAccelerator gpu(QueueingAccelerator::Gpu, gpu_number(communicator->rank()));
  check_patterns(*communicator, gpu);
  EXPECT(communicator->description().ends_with(", NCCL 2.99.1"));
  // The exchange is queued without waiting. Its data has arrived once the
  // test has waited for the device.
  EXPECT(gpu.copies == 0);
  const auto memory = taken(gpu.allocate(kBufferBytes), "allocate");
  const auto into = taken(gpu.allocate(kBufferBytes), "allocate");
  const int waits = gpu.waits;
  const auto ring = patterns()[0].pattern(communicator->rank(), communicator->size());
  taken(communicator->exchange_between(gpu, memory, into, ring), "exchange");
  EXPECT(gpu.waits == waits);
  taken(gpu.wait(), "wait");
  // Further sessions: one on the host, a second one on the same GPUs, and the first again.
  QueueingAccelerator host(QueueingAccelerator::Host);
  check_patterns(*communicator, host);
  QueueingAccelerator again(QueueingAccelerator::Gpu, gpu_number(communicator->rank()));
  check_patterns(*communicator, again);
  check_patterns(*communicator, gpu);
  EXPECT(again.copies == 0 && gpu.copies == 0);
}

// One rank cannot use NCCL, so all ranks use MPI.
void case_no_nccl(const std::string& why) {
  const auto communicator = taken(open_mpi(), "open_mpi");
  const bool odd_one = communicator->rank() == communicator->size() - 1;
  if (why == "turned off" && odd_one) setenv("STENCIL_NCCL", "0", 1);
  QueueingAccelerator gpu(QueueingAccelerator::Gpu,
                          gpu_number(why == "same GPU" ? 0 : communicator->rank()));
  QueueingAccelerator host(QueueingAccelerator::Host);
  QueueingAccelerator& taken_one = why == "one on the host" && odd_one ? host : gpu;
  check_patterns(*communicator, taken_one);
  EXPECT(!uses_nccl(*communicator));
  EXPECT(
      (communicator->description().find("no NCCL: unhandled system error (so the test wants it)") !=
       std::string::npos) == (why == "does not start"));
  EXPECT(taken_one.copies > 0 || &taken_one == &host);
}

void case_broken_nccl() {
  const auto communicator = taken(open_mpi(), "open_mpi");
  QueueingAccelerator gpu(QueueingAccelerator::Gpu, gpu_number(communicator->rank()));
  const auto memory = taken(gpu.allocate(kBufferBytes), "allocate");
  taken(communicator->exchange(gpu, {}), "exchange");
  EXPECT(uses_nccl(*communicator));
  setenv("FAKE_NCCL_BREAK", "1", 1);
  const auto ring = patterns()[0].pattern(communicator->rank(), communicator->size());
  const Status after = communicator->exchange_between(gpu, memory, memory, ring);
  EXPECT(!after.ok() && after.failure().code == "R093");
  EXPECT(after.failure().message ==
         "NCCL failed to exchange data: another error (so the test wants it)");
}

namespace {

// GPU memory and a stream, as in the `cuda` device.
class DriverAccelerator : public Accelerator {
 public:
  explicit DriverAccelerator(const cuda::Gpu& gpu) : gpu_(gpu) {
    EXPECT(cu_.cuDevicePrimaryCtxRetain(&context_, gpu.id) == 0);
    EXPECT(cu_.cuCtxSetCurrent(context_) == 0);
    EXPECT(cu_.cuStreamCreate(&stream_, cuda::kNonBlockingStream) == 0);
  }
  Result<Memory> allocate(int64_t bytes) override {
    cuda::Address out = 0;
    EXPECT(cu_.cuMemAlloc(&out, static_cast<size_t>(bytes)) == 0);
    return reinterpret_cast<Memory>(out);
  }
  void release(Memory) override {}
  Status clear(Memory memory, int64_t bytes) override {
    EXPECT(cu_.cuMemsetD8Async(address(memory), 0xee, static_cast<size_t>(bytes), stream_) == 0);
    return Done{};
  }
  Status upload(Memory to, const std::byte* from, const Rows& rows) override {
    EXPECT(cu_.cuMemcpyHtoDAsync(address(to) + static_cast<cuda::Address>(rows.start), from,
                                 static_cast<size_t>(rows.bytes), stream_) == 0);
    return wait();
  }
  Status download(std::byte* to, Memory from, const Rows& rows) override {
    EXPECT(cu_.cuMemcpyDtoHAsync(to, address(from) + static_cast<cuda::Address>(rows.start),
                                 static_cast<size_t>(rows.bytes), stream_) == 0);
    return wait();
  }
  Status launch(const Call&) override { return Failure{"", "not needed", ""}; }
  Status ask(Memory) override { return Failure{"", "not needed", ""}; }
  Result<int32_t> answer() override { return Failure{"", "not needed", ""}; }
  Status wait() override {
    EXPECT(cu_.cuCtxSetCurrent(context_) == 0);
    EXPECT(cu_.cuStreamSynchronize(stream_) == 0);
    return Done{};
  }
  void* device_pointer(Memory memory) override { return memory; }
  std::optional<CudaStream> cuda_stream() override {
    EXPECT(cu_.cuCtxSetCurrent(context_) == 0);
    return CudaStream{stream_, gpu_.bus};
  }

 private:
  static cuda::Address address(Memory memory) { return reinterpret_cast<cuda::Address>(memory); }
  const cuda::Driver& cu_ = cuda::driver();
  cuda::Gpu gpu_;
  cuda::Context context_ = nullptr;
  cuda::Stream stream_ = nullptr;
};

// Microseconds per exchange of `bytes` in both directions around the ring.
double ring_time(Communicator& communicator, Accelerator& gpu, int64_t bytes) {
  const auto send = taken(gpu.allocate(2 * bytes), "allocate");
  const auto receive = taken(gpu.allocate(2 * bytes), "allocate");
  const int left = (communicator.rank() + communicator.size() - 1) % communicator.size();
  const int right = (communicator.rank() + 1) % communicator.size();
  const Transfer ring[] = {{right, 0, 1, 0, bytes, bytes, bytes},
                           {left, 1, 0, bytes, bytes, 0, bytes}};
  const auto repeat = [&](int times) {
    taken(communicator.all_gather(""), "all_gather");
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i)
      taken(communicator.exchange_between(gpu, send, receive, ring), "exchange");
    taken(gpu.wait(), "wait");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  repeat(3);
  return repeat(20) / 20 * 1e6;
}

}  // namespace

// Exits with 77 if there are too few GPUs.
void case_gpus() {
  const auto communicator = taken(open_mpi(), "open_mpi");
  const auto gpus = cuda::gpus(cuda::driver());
  if (static_cast<int>(gpus.size()) < communicator->size()) std::exit(77);
  DriverAccelerator gpu(gpus[communicator->rank_on_node()]);
  std::vector<std::byte> bytes(kBufferBytes);
  const auto send = taken(gpu.allocate(kBufferBytes), "allocate");
  const auto receive = taken(gpu.allocate(kBufferBytes), "allocate");
  for (const auto& [name, pattern] : patterns()) {
    for (int round = 0; round < 3; ++round) {
      for (int64_t i = 0; i < kBufferBytes; ++i) {
        bytes[i] = sent_byte(communicator->rank(), round, i);
      }
      taken(gpu.upload(send, bytes.data(), {kBufferBytes}), "upload");
      taken(gpu.clear(receive, kBufferBytes), "clear");
      taken(communicator->exchange_between(gpu, send, receive,
                                           pattern(communicator->rank(), communicator->size())),
            name);
      taken(gpu.clear(send, kBufferBytes), "clear");
      taken(gpu.download(bytes.data(), receive, {kBufferBytes}), "download");
      EXPECT(bytes == expected_bytes(pattern, communicator->rank(), communicator->size(), round));
    }
  }
  for (const int64_t size : {1 << 12, 1 << 20, 1 << 26}) {
    const double microseconds = ring_time(*communicator, gpu, size);
    if (communicator->rank() != 0) continue;
    std::printf("%s; gpu %s; ring of %lld bytes each way: %.1f us\n",
                communicator->description().c_str(), gpus[0].bus.c_str(),
                static_cast<long long>(size), microseconds);
  }
}

}  // namespace stencil::runtime
