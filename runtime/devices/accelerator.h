// A device with memory of its own, as the execution of a plan (plan_session.h) sees it: memory,
// copies, launches. In these such devices (OpenCL, CUDA, the host) differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/io/non_finite_count.h"
#include "stencil/result.h"

namespace stencil::runtime {

// A scalar argument of a kernel as bytes.
struct ScalarBytes {
  std::byte bytes[8];
  size_t size;
};

// Measures work: start() and stop() are queued among it, seconds() is asked once it is done.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  virtual Status start() = 0;
  virtual Status stop() = 0;
  virtual Result<double> seconds() = 0;
};

class Accelerator {
 public:
  using Memory = void*;  // null: none
  virtual ~Accelerator() = default;

  virtual Result<Memory> allocate(int64_t bytes) = 0;  // at least one byte; R043 if there is none
  virtual void release(Memory memory) = 0;
  virtual Status clear(Memory memory, int64_t bytes) = 0;  // to zero
  // Queues a copy within the device.
  virtual Status copy(Memory /*to*/, Memory /*from*/, int64_t /*bytes*/) {
    return Failure{"R045", "the device does not copy its own memory", ""};
  }
  // Rows that are dense on the host, in bytes, at least one each; in the device's memory the first
  // begins at `start` and each `pitch` after the one before.
  struct Rows {
    int64_t bytes;  // of a row
    int64_t count = 1;
    int64_t start = 0, pitch = 0;
    bool operator==(const Rows&) const = default;
  };
  virtual Status upload(Memory to, const std::byte* from, const Rows& rows) = 0;
  virtual Status download(std::byte* to, Memory from, const Rows& rows) = 0;

  // Counts the NaN and infinities of a floating-point type in device memory, once what is queued is
  // done. NonFiniteCount::first is a position among all values of the pieces, in their order. This
  // one reads memory of the host where it lies, and copies other memory to it block by block.
  virtual Result<NonFiniteCount> count_non_finite(Memory memory, Scalar type,
                                                  const std::vector<Rows>& pieces);

  // Memory as an array, for bulk copies (kernel::Launch::bulk_sources).
  struct Shaped {
    Memory memory;
    std::vector<int64_t> extents;  // elements, outermost dimension first
    int element_bytes;
  };
  struct Call {
    int kernel;  // its number in the module
    std::vector<Memory> arrays;
    std::vector<ScalarBytes> scalars;
    std::vector<Shaped> bulk_sources;  // a device without bulk copies takes no notice
    int64_t blocks;                    // at least 1
  };
  virtual Status launch(const Call& call) = 0;  // queues it
  virtual Status wait() = 0;                    // until everything queued is done
  // By the device's own clock; null: it has none.
  virtual std::unique_ptr<Stopwatch> stopwatch() { return nullptr; }

  // A second queue beside the first, whose work goes first where there is room: lane 1. Calls are
  // about lane 0 until told otherwise.
  virtual bool has_lanes() const { return false; }  // else there is one queue
  virtual Status use_lane(int /*lane*/) { return Done{}; }
  // What is queued so far, for others to wait for. Null: it is done.
  using Mark = std::shared_ptr<void>;
  virtual Result<Mark> mark();
  // Queues a call. The mark is reached once all its blocks have begun, so that work which waits for
  // it cannot take their place. Null if the device cannot tell.
  virtual Result<Mark> launch_ahead(const Call& call);
  // What is queued from now on waits for the mark of an accelerator of this kind.
  virtual Status await(const Mark& mark);
  // Makes ready for copies from another accelerator; true if they go straight to this one.
  virtual bool reach(Accelerator& /*source*/) { return false; }
  // Queues a copy from memory of another accelerator, from where nothing is being written; offsets
  // in bytes. Through memory of the host unless the two know each other.
  virtual Status copy_from(Memory to, int64_t to_offset, Accelerator& source, Memory from,
                           int64_t from_offset, int64_t bytes);

  // What lane 0 would do from begin_recording() to end_recording(), which does not happen
  // meanwhile: replay() queues all of it at once, as often as wanted. What waits for marks of it,
  // and is waited for in the end, is recorded with it. Null: nothing to be done.
  using Recording = std::shared_ptr<void>;
  virtual bool records() const { return false; }
  virtual Status begin_recording() { return Done{}; }
  virtual Result<Recording> end_recording() { return Recording(); }
  virtual Status replay(const Recording& /*recording*/) { return Done{}; }

  // A flag that what is queued so far will have set: `ask` begins to read it, `answer` waits for
  // that alone and not for what was queued since. One at a time.
  virtual Status ask(Memory flag) = 0;
  virtual Result<int32_t> answer() = 0;

  // Where libraries that exchange data between devices find it. As memory of the host; null: it is
  // none.
  virtual std::byte* host_pointer(Memory /*memory*/) { return nullptr; }
  // As CUDA addresses it; null: it does not.
  virtual void* device_pointer(Memory /*memory*/) { return nullptr; }
  // The queue as a stream of CUDA, whose context becomes current in the calling thread; nothing: it
  // is none.
  struct CudaStream {
    void* stream;     // CUstream; null is CUDA's default stream
    std::string gpu;  // its address on this machine's PCI bus; "": not known
  };
  virtual std::optional<CudaStream> cuda_stream() { return std::nullopt; }

  // No other accelerator of the process has or had this number; a copy gets one of its own.
  uint64_t serial() const { return serial_.number; }

 private:
  struct Serial {
    Serial();
    Serial(const Serial&) : Serial() {}
    Serial& operator=(const Serial&) { return *this; }
    uint64_t number;
  };
  Serial serial_;
};

// The same values in the same order as rows of at most `bytes`, for kernels in which a block takes
// a row: a longer one is cut into rows that touch.
std::vector<Accelerator::Rows> short_rows(const Accelerator::Rows& rows, int64_t bytes);

// LoadedProgram::copy_seconds on an accelerator that copies.
Result<double> copy_seconds(Accelerator& accelerator, int64_t bytes);

}  // namespace stencil::runtime
