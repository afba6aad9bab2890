// Copies between the state's arrays, which are pageable memory, and a GPU.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cuda_driver.h"
#include "runtime/device_plan.h"

namespace stencil::runtime::cuda {

// One object serves several threads, one copy at a time. Each call returns when its copy is done;
// what was queued on the stream before is done before it.
class Copies {
 public:
  // A context and a stream of it, which must outlive the object.
  Copies(Context context, Stream stream) : context_(context), stream_(stream) {}
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
  ~Copies();

  Code upload(Address to, const std::byte* from, const Accelerator::Rows& rows);
  Code download(std::byte* to, Address from, const Accelerator::Rows& rows);

 private:
  // A pinned buffer of kPieceBytes, and when it was last in use.
  struct Stage {
    std::byte* memory = nullptr;
    Event idle = nullptr;
  };
  // Part of a copy that fits a stage: dense on the host, rows in the GPU's memory.
  struct Piece {
    size_t host_offset;  // bytes
    size_t device_offset, width, height, pitch;
  };

  bool provide_stages();
  Code copy_piece(Address device, std::byte* pinned, const Piece& piece, bool up) const;
  Code work(size_t worker, size_t workers, Address device, std::byte* host,
            const Accelerator::Rows& rows, bool up) const;
  Code copy(Address device, std::byte* host, const Accelerator::Rows& rows, bool up);
  static Piece piece_of(const Accelerator::Rows& rows, size_t number);
  static size_t count_pieces(const Accelerator::Rows& rows);

  const Driver& cu_ = driver();
  Context context_;
  Stream stream_;
  std::mutex mutex_;
  bool tried_ = false;         // to provide the stages
  std::vector<Stage> stages_;  // none: copies go straight to and from pageable memory
};

}  // namespace stencil::runtime::cuda
