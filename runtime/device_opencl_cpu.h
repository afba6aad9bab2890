// Kernels for OpenCL devices that are CPUs.
#pragma once

#include "compiler/kernel/plan.h"

namespace stencil::runtime {

// The same kernels without what only costs compile time there: unrolled loops become plain loops, and no
// barrier stands under a condition.
kernel::Module suit_cpu(kernel::Module module);

// True if compiling a kernel of `module` with optimisation may take minutes there. Results do not depend
// on optimisation, so such modules are compiled without.
bool needs_quick_build(const kernel::Module& module);

}  // namespace stencil::runtime
