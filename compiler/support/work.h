// Counts the operations of planning and lowering, for tests that check whether a program's numbers
// (its offsets, extents and depths) affect the cost. A budget of operations holds on every machine,
// unlike a budget of seconds. Loops whose trip count does not depend only on the program's text
// count their iterations.
#pragma once

#include <cstdint>

namespace stencil::support {

namespace detail {
inline thread_local int64_t work = 0;
}

inline void count_work(int64_t operations = 1) {
  detail::work += operations;
}

// The total that this thread has counted; the difference of two calls is the work in between.
inline int64_t work_done() {
  return detail::work;
}

}  // namespace stencil::support
