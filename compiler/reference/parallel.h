// Independent work shared among threads.
#pragma once

#include <cstdint>
#include <functional>

namespace stencil::reference {

// In how many parts `count` pieces of work are shared: one per thread ($STENCIL_THREADS, all
// processors unless it is set), fewer if a part had less than `least` pieces; one at least.
int parts_of(int64_t count, int64_t least);

// Calls work(part, begin, end) for every part, which are equal ranges of 0..count-1 and at most
// `count`, at the same time, and returns when all have returned. Where a thread cannot be had, the
// caller's does its part. If parts throw, throws what the first of them threw.
void in_parts(int parts, int64_t count,
              const std::function<void(int part, int64_t begin, int64_t end)>& work);

}  // namespace stencil::reference
