// Blocks of a launch take similar time, but other processes may use some CPUs. Ranges of blocks are
// therefore halved on demand, when threads become idle. Long ranges are preferable, because
// neighbouring blocks share halos.
#include "runtime/host/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "compiler/support/threads.h"

namespace stencil::host {

namespace {

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
  arena().execute([&] {
    tbb::parallel_for(tbb::blocked_range<int64_t>(0, blocks),
                      [&](const tbb::blocked_range<int64_t>& range) {
                        kernel(arguments, range.begin(), range.end());
                      });
  });
}

}  // namespace stencil::host
