// The `host` device: kernels compiled for the CPU of this machine.
#pragma once

#include <memory>
#include <vector>

#include "runtime/devices/device.h"
#include "runtime/devices/host_library.h"

namespace stencil::runtime {

Device host_device();

// The C++ text that the device compiles for a module.
std::string host_source(const kernel::Module& module);

// A program with kernels that are already loaded; the module must outlive it. R042, R043.
Result<std::unique_ptr<LoadedProgram>> load_host_kernels(const HostLibrary& library,
                                                         const kernel::Module& module,
                                                         HostKernels kernels);

}  // namespace stencil::runtime
