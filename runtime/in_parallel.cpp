// Threads are started for each call: what is given here takes far longer than that, and a pool
// would be one more thing that lives as long as the process. Ranges are taken in turn, since
// processors are seldom left alone.
#include "runtime/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace stencil::runtime {

void in_parallel(int64_t count, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)>& work) {
  std::atomic<int64_t> next = 0;
  const auto serve = [&] {
    for (int64_t at = next.fetch_add(grain); at < count; at = next.fetch_add(grain)) {
      work(at, std::min(count, at + grain));
    }
  };
  const int64_t ranges = count / grain + (count % grain != 0);
  const int64_t wanted = std::min<int64_t>(ranges, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  try {
    for (int64_t t = 1; t < wanted; ++t) others.emplace_back(serve);
  } catch (const std::system_error&) {
    // Fewer threads do the same work.
  }
  serve();
  for (std::thread& thread : others) thread.join();
}

}  // namespace stencil::runtime
