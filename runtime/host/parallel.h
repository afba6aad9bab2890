// Distributes the blocks of a launch over threads with oneTBB.
#pragma once

#include "runtime/host/interface.h"

namespace stencil::host {

// Both implement functions of StencilHostInterface. `run` throws std::bad_alloc if threads cannot
// be created.
int threads();
void run(StencilHostKernel kernel, void* const* arguments, int64_t blocks);

}  // namespace stencil::host
