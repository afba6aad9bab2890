// Kernels for OpenCL devices that are CPUs.
#pragma once

#include <string>

#include "compiler/kernel/plan.h"

namespace stencil::runtime {

// The same kernels without what only costs compile time there: unrolled loops become plain loops,
// and no barrier stands under a condition.
kernel::Module suit_cpu(kernel::Module module);

// Build flags: without optimisation, which takes minutes there and, in PoCL 3.1, breaks some
// kernels.
std::string cpu_build_flags();

}  // namespace stencil::runtime
