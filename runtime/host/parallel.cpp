// Blocks of a launch take similar time, but other processes may use some CPUs. Ranges of blocks are
// therefore halved on demand, when threads become idle. Long ranges are preferable, because
// neighbouring blocks share halos.
#include "runtime/host/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "compiler/support/threads.h"

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace stencil::host {

namespace {

// oneTBB is built without ThreadSanitizer, which therefore does not see that a caller comes before
// its tasks, and these before its return. These functions tell it.
#ifdef __SANITIZE_THREAD__
char order;
void release() {
  __tsan_release(&order);
}
void acquire() {
  __tsan_acquire(&order);
}
#else
void release() {}
void acquire() {}
#endif

tbb::task_arena& arena() {
  static tbb::task_arena all(wanted_threads());
  return all;
}

}  // namespace

int threads() {
  return arena().max_concurrency();
}

void run(StencilHostKernel kernel, void* const* arguments, int64_t blocks) {
  if (blocks == 1 || threads() == 1) return kernel(arguments, 0, blocks);
  release();
  arena().execute([&] {
    acquire();
    tbb::parallel_for(tbb::blocked_range<int64_t>(0, blocks),
                      [&](const tbb::blocked_range<int64_t>& range) {
                        acquire();
                        kernel(arguments, range.begin(), range.end());
                        release();
                      });
    release();
  });
  acquire();
}

}  // namespace stencil::host
