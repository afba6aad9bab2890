// A device with its own memory, as the execution of a plan (plan_session.h) sees it: memory,
// copies, launches. OpenCL, CUDA and the host differ only in these operations.
#pragma once

#include <algorithm>
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
  friend bool operator==(const ScalarBytes& a, const ScalarBytes& b) {
    return std::equal(a.bytes, a.bytes + a.size, b.bytes, b.bytes + b.size);
  }
};

// Measures device time: start() and stop() are queued with the work; seconds() is valid once it is
// done.
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

  virtual Result<Memory> allocate(int64_t bytes) = 0;  // at least one byte; R043 if out of memory
  virtual void release(Memory memory) = 0;
  virtual Status clear(Memory memory, int64_t bytes) = 0;  // sets to zero
  // Queues a copy within the device.
  virtual Status copy(Memory /*to*/, Memory /*from*/, int64_t /*bytes*/) {
    return Failure{"R045", "the device cannot copy within its own memory", ""};
  }
  // Rows of at least one byte each. On the host the rows are dense. In device memory the first row
  // begins at byte `start`, and each further row begins `pitch` bytes after the previous one.
  struct Rows {
    int64_t bytes;  // of a row
    int64_t count = 1;
    int64_t start = 0, pitch = 0;
    bool operator==(const Rows&) const = default;
  };
  virtual Status upload(Memory to, const std::byte* from, const Rows& rows) = 0;
  virtual Status download(std::byte* to, Memory from, const Rows& rows) = 0;
  // Copies rows within the device. Both sides have rows of equal length, and equally many. The
  // default implementation copies through host memory.
  virtual Status copy_rows(Memory to, const Rows& to_rows, Memory from, const Rows& from_rows);

  // Waits for queued work, then counts NaN and infinities of a floating-point type in device
  // memory. NonFiniteCount::first is a position among all values of the pieces, in order. The
  // default implementation reads host memory directly and copies other memory to the host block by
  // block.
  virtual Result<NonFiniteCount> count_non_finite(Memory memory, Scalar type,
                                                  const std::vector<Rows>& pieces);

  // Memory as an array, for bulk copies (kernel::Launch::bulk_sources).
  struct Shaped {
    Memory memory;
    std::vector<int64_t> extents;  // elements, outermost dimension first
    int element_bytes;
    bool operator==(const Shaped&) const = default;
  };
  struct Call {
    int kernel;  // number of the kernel in the module
    std::vector<Memory> arrays;
    std::vector<ScalarBytes> scalars;
    std::vector<Shaped> bulk_sources;  // ignored by devices without bulk copies
    int64_t blocks;                    // at least 1
    bool operator==(const Call&) const = default;
  };
  virtual Status launch(const Call& call) = 0;  // asynchronous
  virtual Status wait() = 0;                    // for all queued work
  // Measures with the device's clock; null if it has none.
  virtual std::unique_ptr<Stopwatch> stopwatch() { return nullptr; }

  // A second queue with higher priority: lane 1. All calls use lane 0 until use_lane() changes it.
  virtual bool has_lanes() const { return false; }  // otherwise there is one queue
  virtual Status use_lane(int /*lane*/) { return Done{}; }
  // A point in the queue for which other queues can wait. Null: already reached.
  using Mark = std::shared_ptr<void>;
  virtual Result<Mark> mark();
  // Queues a call. The returned mark is reached once all blocks of the call have started, so that
  // work waiting for the mark cannot take their place. Null if the device cannot detect this.
  virtual Result<Mark> launch_ahead(const Call& call);
  // Makes all work queued from now on wait for the mark, which must be of the same kind of
  // accelerator.
  virtual Status await(const Mark& mark);
  // Prepares copies from another accelerator; true if they run directly, without the host.
  virtual bool reach(Accelerator& /*source*/) { return false; }
  // Queues a copy from another accelerator's memory, which must not be written until the copy is
  // done. Offsets in bytes. The copy goes through host memory unless the two accelerators can reach
  // each other.
  virtual Status copy_from(Memory to, int64_t to_offset, Accelerator& source, Memory from,
                           int64_t from_offset, int64_t bytes);

  // Work queued on lane 0 between begin_recording() and end_recording() is recorded, not executed.
  // Work of another queue is also recorded if it waits for a recorded mark and lane 0 waits for it
  // before the end. replay() queues all recorded work at once and may be called repeatedly. A null
  // Recording does nothing.
  using Recording = std::shared_ptr<void>;
  virtual bool records() const { return false; }
  virtual Status begin_recording() { return Done{}; }
  virtual Result<Recording> end_recording() { return Recording(); }
  virtual Status replay(const Recording& /*recording*/) { return Done{}; }
  // Whether the queue belongs to the user, who may record its work.
  virtual bool may_be_captured() const { return false; }
  // Whether the user records it now. Work is then not executed, and the host must not wait for it.
  virtual bool is_captured() const { return false; }

  // Reads a flag that previously queued work sets. `ask` starts the read. `answer` waits for this
  // read, but not for work queued later. One read at a time.
  virtual Status ask(Memory flag) = 0;
  virtual Result<int32_t> answer() = 0;

  // For libraries that exchange data between devices: the memory as a host address; null if it is
  // not host memory.
  virtual std::byte* host_pointer(Memory /*memory*/) { return nullptr; }
  // The memory as a CUDA address; null if it has none.
  virtual void* device_pointer(Memory /*memory*/) { return nullptr; }
  // The queue as a CUDA stream; nullopt if it is not a CUDA stream. The stream's context becomes
  // current in the calling thread.
  struct CudaStream {
    void* stream;     // CUstream; null is CUDA's default stream
    std::string gpu;  // address on the PCI bus of this machine; "": unknown
  };
  virtual std::optional<CudaStream> cuda_stream() { return std::nullopt; }

  // Unique among all accelerators of the process, past ones included. A copied accelerator gets a
  // new number.
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

// Cuts each row that is longer than `bytes` bytes into adjacent shorter ones, for kernels that
// assign one row to a block. The values and their order stay the same.
std::vector<Accelerator::Rows> short_rows(const Accelerator::Rows& rows, int64_t bytes);

// LoadedProgram::copy_seconds for an accelerator that supports copy().
Result<double> copy_seconds(Accelerator& accelerator, int64_t bytes);

}  // namespace stencil::runtime
