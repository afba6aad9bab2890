// Large copies go through pinned buffers that a few threads fill and empty.
//
// A GPU can only read pinned memory. For pageable memory the driver copies to its own pinned
// buffers in one thread, which is slower than the bus: about 10 GB/s on machines whose bus has 25
// to 60. Pinning the arrays themselves (cuMemHostRegister) costs a system call per page, twice with
// the release, about as much as the copy. That pays only for arrays that are copied often, and a
// run copies each array once in each direction. So there are pinned buffers as in the driver, but
// one per thread: while one buffer is being transferred, other threads work on theirs. A second
// buffer per thread would not help, because waiting costs nothing as long as the bus is busy.
//
// Copies of few pieces are left to the driver; they end before threads would have started.
#include "runtime/devices/cuda_copies.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "compiler/support/threads.h"

namespace stencil::runtime::cuda {

namespace {

constexpr size_t kPieceBytes = size_t{4} << 20;
constexpr int kMostWorkers = 4;

size_t ceiling(size_t a, size_t b) {
  return (a + b - 1) / b;
}

}  // namespace

Copies::~Copies() {
  cu_.cuCtxSetCurrent(context_);
  for (const Stage& stage : stages_) {
    if (stage.idle) cu_.cuEventDestroy(stage.idle);
    if (stage.memory) cu_.cuMemFreeHost(stage.memory);
  }
}

// If memory cannot be pinned, there are no stages, and copies still work.
bool Copies::provide_stages() {
  if (tried_) return !stages_.empty();
  tried_ = true;
  const int workers = std::min(kMostWorkers, wanted_threads());
  for (int worker = 0; worker < workers; ++worker) {
    Stage stage;
    void* memory = nullptr;
    if (cu_.cuMemAllocHost(&memory, kPieceBytes) != 0) break;
    stage.memory = static_cast<std::byte*>(memory);
    stages_.push_back(stage);
    if (cu_.cuEventCreate(&stages_.back().idle, kEventWithoutTime) != 0) {
      cu_.cuMemFreeHost(stages_.back().memory);
      stages_.pop_back();
      break;
    }
  }
  return !stages_.empty();
}

// A piece is a group of whole rows, or a part of a row that is longer than a stage.
Copies::Piece Copies::piece_of(const Accelerator::Rows& rows, size_t number) {
  const auto row_bytes = static_cast<size_t>(rows.bytes);
  const size_t width = std::min(row_bytes, kPieceBytes), height = kPieceBytes / width;
  const size_t columns = ceiling(row_bytes, width);
  const size_t first_row = number / columns * height, first_byte = number % columns * width;
  const auto pitch = static_cast<size_t>(rows.count > 1 ? rows.pitch : rows.bytes);
  return {first_row * row_bytes + first_byte,
          static_cast<size_t>(rows.start) + first_row * pitch + first_byte,
          std::min(width, row_bytes - first_byte),
          std::min(height, static_cast<size_t>(rows.count) - first_row), pitch};
}

size_t Copies::count_pieces(const Accelerator::Rows& rows) {
  const auto row_bytes = static_cast<size_t>(rows.bytes);
  const size_t width = std::min(row_bytes, kPieceBytes);
  return ceiling(row_bytes, width) * ceiling(static_cast<size_t>(rows.count), kPieceBytes / width);
}

Code Copies::copy_piece(const Copy& copy, const Piece& piece, std::byte* memory) const {
  const Address at = copy.device + piece.device_offset;
  if (piece.height == 1) {
    return copy.up ? cu_.cuMemcpyHtoDAsync(at, memory, piece.width, copy.stream)
                   : cu_.cuMemcpyDtoHAsync(memory, at, piece.width, copy.stream);
  }
  const auto side = [&]<class Host>(Host* host, bool on_host) -> Copy2D::Side<Host> {
    if (on_host) return {0, 0, kHostMemory, host, 0, nullptr, piece.width};
    return {0, 0, kDeviceMemory, nullptr, at, nullptr, piece.pitch};
  };
  const Copy2D rows{side(static_cast<const void*>(memory), copy.up),
                    side(static_cast<void*>(memory), !copy.up), piece.width, piece.height};
  return cu_.cuMemcpy2DAsync(&rows, copy.stream);
}

// Copies every piece whose number modulo `workers` is `worker`.
Code Copies::work(size_t worker, size_t workers, const Copy& copy) const {
  const Stage& stage = stages_[worker];
  Code code = cu_.cuCtxSetCurrent(context_);
  for (size_t n = worker; code == 0 && n < count_pieces(copy.rows); n += workers) {
    const Piece piece = piece_of(copy.rows, n);
    std::byte* const host = copy.host + piece.host_offset;
    if (copy.up) {
      code = cu_.cuEventSynchronize(stage.idle);  // the previous piece has been sent
      if (code == 0) std::memcpy(stage.memory, host, piece.width * piece.height);
    }
    if (code == 0) code = copy_piece(copy, piece, stage.memory);
    if (code == 0) code = cu_.cuEventRecord(stage.idle, copy.stream);
    if (!copy.up) {
      if (code == 0) code = cu_.cuEventSynchronize(stage.idle);
      if (code == 0) std::memcpy(host, stage.memory, piece.width * piece.height);
    }
  }
  return code;
}

Code Copies::run(const Copy& copy) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Code code = cu_.cuCtxSetCurrent(context_);
  if (code != 0) return code;
  const size_t pieces = count_pieces(copy.rows);
  if (pieces < 2 || !provide_stages()) {
    const Accelerator::Rows& rows = copy.rows;
    const auto pitch = static_cast<size_t>(rows.count > 1 ? rows.pitch : rows.bytes);
    code = copy_piece(copy,
                      {0, static_cast<size_t>(rows.start), static_cast<size_t>(rows.bytes),
                       static_cast<size_t>(rows.count), pitch},
                      copy.host);
  } else {
    const size_t workers = std::min(stages_.size(), pieces);
    std::atomic<Code> first = 0;
    in_threads(static_cast<int>(workers), [&](int worker) {
      Code none = 0;
      const Code ended = work(static_cast<size_t>(worker), workers, copy);
      if (ended != 0) first.compare_exchange_strong(none, ended);
    });
    code = first;
  }
  const Code waited = cu_.cuStreamSynchronize(copy.stream);
  return code != 0 ? code : waited;
}

Code Copies::upload(Stream stream, Address to, const std::byte* from,
                    const Accelerator::Rows& rows) {
  return run({stream, to, const_cast<std::byte*>(from), rows, true});  // only read
}

Code Copies::download(Stream stream, std::byte* to, Address from, const Accelerator::Rows& rows) {
  return run({stream, from, to, rows, false});
}

Code Copies::within(Stream stream, Address to, const Accelerator::Rows& to_rows, Address from,
                    const Accelerator::Rows& from_rows) const {
  to += static_cast<Address>(to_rows.start);
  from += static_cast<Address>(from_rows.start);
  const auto width = static_cast<size_t>(to_rows.bytes);
  if (to_rows.count == 1) return cu_.cuMemcpyDtoDAsync(to, from, width, stream);
  const auto from_pitch = static_cast<size_t>(from_rows.pitch);
  const auto to_pitch = static_cast<size_t>(to_rows.pitch);
  const Copy2D rows{{0, 0, kDeviceMemory, nullptr, from, nullptr, from_pitch},
                    {0, 0, kDeviceMemory, nullptr, to, nullptr, to_pitch},
                    width,
                    static_cast<size_t>(to_rows.count)};
  return cu_.cuMemcpy2DAsync(&rows, stream);
}

}  // namespace stencil::runtime::cuda
