// The quickest of a few copies counts.
#include "runtime/devices/accelerator.h"

#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

namespace stencil::runtime {

namespace {

// One copy, waited for.
Result<double> time_copy(Accelerator& accelerator, Stopwatch* stopwatch, Accelerator::Memory to,
                         Accelerator::Memory from, int64_t bytes) {
  const auto begin = std::chrono::steady_clock::now();
  const Status started = stopwatch ? stopwatch->start() : Status(Done{});
  if (!started.ok()) return started.failure();
  const Status copied = accelerator.copy(to, from, bytes);
  if (!copied.ok()) return copied.failure();
  const Status stopped = stopwatch ? stopwatch->stop() : Status(Done{});
  if (!stopped.ok()) return stopped.failure();
  const Status waited = accelerator.wait();
  if (!waited.ok()) return waited.failure();
  if (stopwatch) return stopwatch->seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::atomic<uint64_t> accelerators_made{0};

}  // namespace

Accelerator::Serial::Serial() : number(++accelerators_made) {}

Result<Accelerator::Mark> Accelerator::mark() {
  const Status waited = wait();
  if (!waited.ok()) return waited.failure();
  return Mark();
}

Result<Accelerator::Mark> Accelerator::launch_ahead(const Call& call) {
  const Status launched = launch(call);
  if (!launched.ok()) return launched.failure();
  return Mark();
}

Status Accelerator::await(const Mark&) {
  return Done{};
}

Status Accelerator::copy_from(Memory to, int64_t to_offset, Accelerator& source, Memory from,
                              int64_t from_offset, int64_t bytes) {
  std::vector<std::byte> between(static_cast<size_t>(bytes));
  const Status down = source.download(between.data(), from, {bytes, 1, from_offset, bytes});
  return down.ok() ? upload(to, between.data(), {bytes, 1, to_offset, bytes}) : down;
}

Result<double> copy_seconds(Accelerator& accelerator, int64_t bytes) {
  constexpr int kCopies = 6;
  std::vector<Accelerator::Memory> ends;
  Status ready = Done{};
  for (int end = 0; end < 2 && ready.ok(); ++end) {
    const auto memory = accelerator.allocate(bytes);
    if (memory.ok()) ends.push_back(memory.value());
    ready = memory.ok() ? accelerator.clear(memory.value(), bytes) : memory.failure();
  }
  const auto stopwatch = accelerator.stopwatch();
  Result<double> best = 0.0;
  if (!ready.ok()) best = ready.failure();
  for (int copy = 0; copy < kCopies && best.ok(); ++copy) {
    auto seconds = time_copy(accelerator, stopwatch.get(), ends[1], ends[0], bytes);
    if (copy == 0 || !seconds.ok() || seconds.value() < best.value()) best = std::move(seconds);
  }
  for (const Accelerator::Memory memory : ends) accelerator.release(memory);
  return best;
}

}  // namespace stencil::runtime
