// Work on long arrays of the host by several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace stencil::runtime {

// Calls work(begin, end) for ranges that together are 0 .. count - 1, each of at most `grain`, from
// as many threads as STENCIL_THREADS says, or the process has processors; returns when all is done.
// Where threads cannot be had, this one does the rest. Throws what `work` has thrown.
void in_parallel(int64_t count, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)>& work);

}  // namespace stencil::runtime
