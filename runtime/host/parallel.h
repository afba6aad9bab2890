// Blocks of a launch, shared among threads by oneTBB.
#pragma once

#include "runtime/host/interface.h"

namespace stencil::host {

// See StencilHostInterface. `run` throws std::bad_alloc where threads cannot be had.
int threads();
void run(StencilHostKernel kernel, void* const* arguments, int64_t blocks);

}  // namespace stencil::host
