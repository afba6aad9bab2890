// Threads are started for each call: what is given here takes far longer than that, and a pool
// would be one more thing that lives as long as the process. Ranges are taken in turn, since
// processors are seldom left alone.
#include "runtime/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "compiler/support/threads.h"

namespace stencil::runtime {

void in_parallel(int64_t count, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)>& work) {
  std::atomic<int64_t> next = 0;
  std::exception_ptr thrown;
  std::mutex guard;  // of what was thrown
  const auto serve = [&] {
    try {
      for (int64_t at = next.fetch_add(grain); at < count; at = next.fetch_add(grain)) {
        work(at, std::min(count, at + grain));
      }
    } catch (...) {
      const std::lock_guard<std::mutex> held(guard);
      thrown = std::current_exception();
    }
  };
  const int64_t ranges = count / grain + (count % grain != 0);
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int64_t wanted = std::min<int64_t>(ranges, wanted_threads(processors));
  std::vector<std::thread> others;
  try {
    for (int64_t t = 1; t < wanted; ++t) others.emplace_back(serve);
  } catch (const std::system_error&) {
    // Fewer threads do the same work.
  }
  serve();
  for (std::thread& thread : others) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace stencil::runtime
