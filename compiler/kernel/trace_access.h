// What the memory of a GPU does for one request of a warp.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/kernel/trace.h"

namespace stencil::kernel::tracing {

// The active threads of a warp, by rising number, and the bytes from where on each of them accesses
// a memory.
struct WarpAccess {
  int count = 0;
  int bytes = 4;  // that each of them accesses, at most 16
  std::array<int, kWarpThreads> lanes;
  std::array<int64_t, kWarpThreads> addresses;
};

struct Touched {
  int64_t sectors = 0, lines = 0;
};
// Global memory that a request touches.
Touched touched(const WarpAccess& access);
// By bytes that lie side by side.
Touched touched(int64_t first_byte, int64_t bytes);

// How often the banks of shared memory are busy with it (Counters::shared_load_wavefronts).
int64_t wavefronts(const WarpAccess& access);

}  // namespace stencil::kernel::tracing
