// Blocks of one launch are alike, but processors are seldom left alone: ranges of blocks are halved
// as threads ask for work. A range stays long, because neighbouring blocks share halos.
#include "runtime/host/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstdlib>

namespace stencil::host {

namespace {

int wanted_threads() {
  constexpr long kMost = 4096;
  if (const char* text = std::getenv("STENCIL_THREADS")) {
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && number >= 1 && number <= kMost) {
      return static_cast<int>(number);
    }
  }
  return tbb::this_task_arena::max_concurrency();
}

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
