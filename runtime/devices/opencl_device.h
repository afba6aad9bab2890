// The `opencl` device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/devices/device.h"

namespace stencil::runtime {

Device opencl_device();

// How a CPU behind OpenCL executes a thread block.
enum class BlockOnCpu {
  Loops,      // one work-item that loops over the threads, optimised
  WorkItems,  // one work-item per thread with barriers, unoptimised: to test GPU kernels
};
// From the environment (STENCIL_OPENCL_CPU=work-items); default: Loops.
BlockOnCpu block_on_cpu();

// Loads many modules as one OpenCL program, which pays the compiler's start-up cost once. The
// kernels of `modules` must have different names and all be in `source`. If the first OpenCL device
// is a CPU, `source` must have been emitted for `blocks`, otherwise for WorkItems. Returns one
// program per module, in order; the modules must outlive them. R041 to R044.
Result<std::vector<std::unique_ptr<LoadedProgram>>> load_opencl_batch(
    const std::vector<const kernel::Module*>& modules, const std::string& source,
    BlockOnCpu blocks);

}  // namespace stencil::runtime
