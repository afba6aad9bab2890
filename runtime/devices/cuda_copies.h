// Copies between a GPU and the state's arrays, which are in pageable memory.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/devices/accelerator.h"
#include "runtime/devices/cuda_driver.h"

namespace stencil::runtime::cuda {

// One object serves all streams of a context and several threads, one copy at a time. Each call
// waits for its copy and thus for all work queued on the stream before it.
class Copies {
 public:
  // The context must outlive the object.
  explicit Copies(Context context) : context_(context) {}
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
  ~Copies();

  Code upload(Stream stream, Address to, const std::byte* from, const Accelerator::Rows& rows);
  Code download(Stream stream, std::byte* to, Address from, const Accelerator::Rows& rows);
  // Queues a copy of rows within the GPU, as for Accelerator::copy_rows.
  Code within(Stream stream, Address to, const Accelerator::Rows& to_rows, Address from,
              const Accelerator::Rows& from_rows) const;

 private:
  // A pinned buffer of kPieceBytes, and the event after its last use.
  struct Stage {
    std::byte* memory = nullptr;
    Event idle = nullptr;
  };
  // A part of a copy that fits into a stage: dense on the host, rows in GPU memory.
  struct Piece {
    size_t host_offset;  // bytes
    size_t device_offset, width, height, pitch;
  };

  // A copy to the GPU (`up`) or from it.
  struct Copy {
    Stream stream;
    Address device;
    std::byte* host;
    const Accelerator::Rows& rows;
    bool up;
  };

  bool provide_stages();
  Code copy_piece(const Copy& copy, const Piece& piece, std::byte* memory) const;
  Code work(size_t worker, size_t workers, const Copy& copy) const;
  Code run(const Copy& copy);
  static Piece piece_of(const Accelerator::Rows& rows, size_t number);
  static size_t count_pieces(const Accelerator::Rows& rows);

  const Driver& cu_ = driver();
  Context context_;
  std::mutex mutex_;
  bool tried_ = false;         // provide_stages() was called
  std::vector<Stage> stages_;  // empty: copy directly from and to pageable memory
};

}  // namespace stencil::runtime::cuda
