// A count of what planning and lowering do, for tests that ask whether a program's numbers (its
// offsets, extents and depths) cost anything: a budget of operations holds on every machine, one of
// seconds does not. Loops whose length is no property of the program's text count their rounds.
#pragma once

#include <cstdint>

namespace stencil::support {

namespace detail {
inline thread_local int64_t work = 0;
}

inline void count_work(int64_t operations = 1) {
  detail::work += operations;
}

// All that this thread has counted; the difference of two calls is what was done between them.
inline int64_t work_done() {
  return detail::work;
}

}  // namespace stencil::support
