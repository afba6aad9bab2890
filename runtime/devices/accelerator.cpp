// Default implementations of Accelerator. copy_seconds() takes the fastest of a few copies.
#include "runtime/devices/accelerator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "compiler/support/threads.h"
#include "compiler/support/try.h"

namespace stencil::runtime {

namespace {

// Times one copy, including its completion.
Result<double> time_copy(Accelerator& accelerator, Stopwatch* stopwatch, Accelerator::Memory to,
                         Accelerator::Memory from, int64_t bytes) {
  const auto begin = std::chrono::steady_clock::now();
  TRY(stopwatch ? stopwatch->start() : Status(Done{}));
  TRY(accelerator.copy(to, from, bytes));
  TRY(stopwatch ? stopwatch->stop() : Status(Done{}));
  TRY(accelerator.wait());
  if (stopwatch) return stopwatch->seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::atomic<uint64_t> accelerators_made{0};

}  // namespace

Accelerator::Serial::Serial() : number(++accelerators_made) {}

Status Accelerator::copy_rows(Memory to, const Rows& to_rows, Memory from, const Rows& from_rows) {
  std::vector<std::byte> values(static_cast<size_t>(from_rows.bytes * from_rows.count));
  TRY(download(values.data(), from, from_rows));
  return upload(to, values.data(), to_rows);
}

Result<Accelerator::Mark> Accelerator::mark() {
  TRY(wait());
  return Mark();
}

Result<Accelerator::Mark> Accelerator::launch_ahead(const Call& call) {
  TRY(launch(call));
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

namespace {

// Threads share the rows if these are short, and the values of a row if it is long.
NonFiniteCount count_in_host_memory(const std::byte* memory, Scalar type,
                                    const Accelerator::Rows& rows) {
  constexpr int64_t kValuesAtOnce = int64_t{1} << 20;
  const int64_t length = rows.bytes / size_in_bytes(type);
  std::mutex mutex;
  NonFiniteCount all;
  const auto count_rows = [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      NonFiniteCount row = count_values(type, memory + rows.start + r * rows.pitch, length);
      if (row.first < 0) continue;
      row.first += r * length;
      const std::lock_guard<std::mutex> lock(mutex);
      all.add(row);
    }
  };
  if (length >= kValuesAtOnce) {
    count_rows(0, rows.count);
  } else {
    in_ranges(rows.count, kValuesAtOnce / std::max<int64_t>(length, 1), count_rows);
  }
  return all;
}

// Splits rows into pieces of at most `bytes`: several rows each, or a part of one.
std::vector<Accelerator::Rows> blocks_of(const Accelerator::Rows& rows, int64_t bytes) {
  std::vector<Accelerator::Rows> out;
  const int64_t at_once = std::max<int64_t>(bytes / std::max<int64_t>(rows.bytes, 1), 1);
  for (int64_t r = 0; r < rows.count; r += at_once) {
    const int64_t count = std::min(at_once, rows.count - r);
    const int64_t start = rows.start + r * rows.pitch;
    for (int64_t at = 0; at < rows.bytes; at += bytes) {
      out.push_back({std::min(bytes, rows.bytes - at), count, start + at, rows.pitch});
    }
  }
  return out;
}

}  // namespace

std::vector<Accelerator::Rows> short_rows(const Accelerator::Rows& rows, int64_t bytes) {
  if (rows.bytes <= bytes) return {rows};
  std::vector<Accelerator::Rows> out;
  for (int64_t r = 0; r < rows.count; ++r) {
    const int64_t start = rows.start + r * rows.pitch, whole = rows.bytes / bytes;
    out.push_back({bytes, whole, start, bytes});
    const int64_t rest = rows.bytes - whole * bytes;
    if (rest > 0) out.push_back({rest, 1, start + whole * bytes, rest});
  }
  return out;
}

Result<NonFiniteCount> Accelerator::count_non_finite(Memory memory, Scalar type,
                                                     const std::vector<Rows>& pieces) {
  constexpr int64_t kBlock = int64_t{1} << 25;  // bytes per copy to the host
  TRY(wait());
  const std::byte* const host = host_pointer(memory);
  std::vector<std::byte> copied;
  NonFiniteCount all;
  int64_t before = 0;  // values
  const auto add = [&](NonFiniteCount here, int64_t values) {
    if (here.first >= 0) here.first += before;
    all.add(here);
    before += values;
  };
  for (const Rows& piece : pieces) {
    if (host != nullptr) {
      add(count_in_host_memory(host, type, piece), piece.count * piece.bytes / size_in_bytes(type));
      continue;
    }
    for (const Rows& block : blocks_of(piece, kBlock)) {
      const int64_t bytes = block.count * block.bytes;
      copied.resize(std::max(copied.size(), static_cast<size_t>(bytes)));
      TRY(download(copied.data(), memory, block));
      const int64_t values = bytes / size_in_bytes(type);
      add(count_values(type, copied.data(), values), values);
    }
  }
  return all;
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
