// What a GPU's compiler makes of schedules, for a GPU that need not be there: registers, spills and
// shared memory as they will be, and the instructions of the loop that takes the time. It is what
// the model of schedules estimates.
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

// Of the hungriest kernel, each number for itself. Registers are 0 where there is none: then the
// schedule was refused, there was an error, or it was not come to.
struct Compiled {
  std::string refused = {};  // by the schedule's family: "L015 ..."
  std::string error = {};    // of the compiler: "R042 ..."
  int registers = 0;         // per thread, of 32 bits
  int64_t local_bytes = 0;   // per thread: registers spilled, and arrays not in registers but for
                             // those that loops index (kernel::indexed_bytes)
  int64_t shared_bytes = 0;  // per block
  int64_t code_bytes = 0;
  // Instructions of the kernel that computes most: all of it, and an iteration of its hottest loop.
  // That is one of the machine code, which may be several of the kernel's; `all` divided by the
  // arithmetic does not depend on it. Nothing where the GPU's instructions are not known, and no
  // loop where the kernel does its work outside of loops.
  std::optional<runtime::InstructionMix> kernel = {}, loop = {};
  // Those that a whole time tile launches, in that order.
  std::vector<CompiledKernel> kernels = {};
  double seconds = 0;  // that lowering and compiling took
};

struct CompiledProgress {
  size_t compiled = 0, of = 0;  // schedules
};

// Compiles each schedule of `program`, by so many threads, as the `cuda` device compiles for a GPU
// that is present: from the kernel cache where it has been compiled before. `progress` is called by
// the calling thread several times a second; once it returns false, nothing more is begun.
//
// Fails with R041 where `machine` is no GPU of NVIDIA ("sm_90"), and where NVRTC is not installed
// or does not compile for it.
Result<std::vector<Compiled>> compile_candidates(
    const ir::Program& program, const std::vector<schedule::Schedule>& schedules,
    const schedule::Machine& machine, int threads,
    const std::function<bool(const CompiledProgress&)>& progress = {});

// For the model. Empty where nothing was compiled.
std::vector<schedule::CompiledKernel> for_model(const Compiled& compiled);

}  // namespace stencil::tune
