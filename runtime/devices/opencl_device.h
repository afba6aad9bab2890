// The `opencl` device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/devices/device.h"

namespace stencil::runtime {

Device opencl_device();

// How a CPU behind OpenCL does a block.
enum class BlockOnCpu {
  Loops,      // one work-item with loops over the threads, optimised
  WorkItems,  // a work-item per thread, with barriers, not optimised: for checks of such kernels
};
// As the environment has it (STENCIL_OPENCL_CPU=work-items): Loops unless it is set.
BlockOnCpu block_on_cpu();

// Many modules as one OpenCL program: what a compiler's start costs, it then costs once.
// Loads `modules`, whose kernels have different names and all stand in `source`, on the first
// OpenCL device. It was emitted for `blocks` if that is a CPU, else for WorkItems. The
// modules must outlive what is returned, one program each, in their order. R041 to R044.
Result<std::vector<std::unique_ptr<LoadedProgram>>> load_opencl_batch(
    const std::vector<const kernel::Module*>& modules, const std::string& source,
    BlockOnCpu blocks);

}  // namespace stencil::runtime
