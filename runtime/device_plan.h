// Carrying out a plan on a device with memory of its own. What differs between such devices
// (OpenCL, CUDA) is an Accelerator: memory, copies, launches. What does not is here.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device.h"

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
  // Queues a copy within the device; asked of accelerators of attached sessions and for
  // copy_seconds().
  virtual Status copy(Memory /*to*/, Memory /*from*/, int64_t /*bytes*/) {
    return Failure{"R045", "the device does not copy its own memory", ""};
  }
  // Rows that are dense on the host, in bytes, at least one each; in the device's memory the first
  // begins at `start` and each `pitch` after the one before.
  struct Rows {
    int64_t bytes;  // of a row
    int64_t count = 1;
    int64_t start = 0, pitch = 0;
  };
  virtual Status upload(Memory to, const std::byte* from, const Rows& rows) = 0;
  virtual Status download(std::byte* to, Memory from, const Rows& rows) = 0;

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

  // A flag that what is queued so far will have set: `ask` begins to read it, `answer` waits for
  // that alone and not for what was queued since. One at a time.
  virtual Status ask(Memory flag) = 0;
  virtual Result<int32_t> answer() = 0;
};

// A session that executes the module's plan. `accelerator` and `module` must outlive it. Where
// memory runs out, the failure says how much each field needs.
Result<std::unique_ptr<Session>> start_plan(Accelerator& accelerator, const kernel::Module& module,
                                            reference::State& state);

// The same with an accelerator that belongs to the session, in arrays of the user's where there are
// any (LoadedProgram::attach); R045 if the module pads their rows.
Result<std::unique_ptr<Session>> start_plan(std::unique_ptr<Accelerator> accelerator,
                                            const kernel::Module& module, reference::State& state,
                                            const DeviceArrays& arrays = {});

// LoadedProgram::copy_seconds on an accelerator that copies.
Result<double> copy_seconds(Accelerator& accelerator, int64_t bytes);

// Source text with its lines numbered, for the messages of a device's compiler.
std::string numbered(const std::string& source);

}  // namespace stencil::runtime
