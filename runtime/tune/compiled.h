// What NVIDIA's compiler makes of schedules, for a GPU that need not be present: registers, spills,
// shared memory, and the instructions of the hottest loop. The cost model estimates the same
// numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/schedule/explore.h"
#include "compiler/schedule/machine.h"
#include "compiler/schedule/schedule.h"
#include "runtime/devices/sass.h"
#include "runtime/tune/main_loop.h"
#include "stencil/result.h"

namespace stencil::tune {

// One kernel.
struct CompiledKernel {
  std::string name;  // in the module
  int registers = 0;
  int64_t local_bytes = 0, shared_bytes = 0;
  MainLoop main_loop;
};

// The maximum of each number over all kernels. Registers are 0 if nothing was compiled: the
// schedule was refused, there was an error, or the compilation was not started.
struct Compiled {
  std::string refused = {};  // by the schedule's family: "L015 ..."
  std::string error = {};    // of the compiler: "R042 ..."
  int registers = 0;         // per thread, 32 bits each
  int64_t local_bytes = 0;   // per thread: spills and arrays not in registers, except arrays that
                             // loops index (kernel::indexed_bytes)
  int64_t shared_bytes = 0;  // per block
  int64_t code_bytes = 0;
  // Instructions of the kernel that computes most: of the whole kernel, and of one iteration of its
  // hottest loop. One iteration of the machine code may correspond to several iterations of the
  // kernel. The ratio of `all` to the arithmetic does not depend on their number. nullopt if the
  // GPU's instructions are unknown; no loop if the kernel computes outside of loops.
  std::optional<runtime::InstructionMix> kernel = {}, loop = {};
  // The kernels that a full time tile launches, in order.
  std::vector<CompiledKernel> kernels = {};
  double seconds = 0;  // for lowering and compiling
};

struct CompiledProgress {
  size_t compiled = 0, of = 0;  // schedules done, schedules in total
};

// Compiles each schedule of `program` with `threads` threads, as the `cuda` device would compile
// for a present GPU, using the kernel cache. The calling thread calls `progress` several times per
// second; after it returns false, no further compilation starts.
//
// R041 if `machine` is not an NVIDIA GPU ("sm_90"), or if NVRTC is not installed or does not
// support it.
Result<std::vector<Compiled>> compile_candidates(
    const ir::Program& program, const std::vector<schedule::Schedule>& schedules,
    const schedule::Machine& machine, int threads,
    const std::function<bool(const CompiledProgress&)>& progress = {});

// The numbers that the model uses. Empty if nothing was compiled.
std::vector<schedule::CompiledKernel> for_model(const Compiled& compiled);

}  // namespace stencil::tune
