// How a GPU's memory serves one request of a warp.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/kernel/trace.h"

namespace stencil::kernel::tracing {

// The active threads of a warp, in ascending order, and the byte address that each accesses.
struct WarpAccess {
  int count = 0;
  int bytes = 4;  // per thread, at most 16
  std::array<int, kWarpThreads> lanes;
  std::array<int64_t, kWarpThreads> addresses;
};

struct Touched {
  int64_t sectors = 0, lines = 0;
};
// The sectors and lines of global memory touched by a request.
Touched touched(const WarpAccess& access);
// The sectors and lines of global memory in a contiguous range of bytes.
Touched touched(int64_t first_byte, int64_t bytes);

// The number of shared memory wavefronts (Counters::shared_load_wavefronts).
int64_t wavefronts(const WarpAccess& access);

}  // namespace stencil::kernel::tracing
