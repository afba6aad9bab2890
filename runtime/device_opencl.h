// Many modules as one OpenCL program: what a compiler's start costs, it then costs once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace stencil::runtime {

// Loads `modules`, whose kernels have different names and all stand in `source`, on the first
// OpenCL device. The modules must outlive what is returned, one program each, in their order. R041
// to R044.
Result<std::vector<std::unique_ptr<LoadedProgram>>> load_opencl_batch(
    const std::vector<const kernel::Module*>& modules, const std::string& source);

}  // namespace stencil::runtime
