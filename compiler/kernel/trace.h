// What the launches of a plan execute, thread by thread: the counts that a GPU's hardware counters
// would show of the kernel IR as it stands. count.h counts without executing.
//
// Executed is the integer part of a kernel, for all threads of a block at once. Floats have no
// value, nor has what is loaded from global memory: only which elements are touched is known. The
// other buffers hold their integers (masks, flags, coordinates).
//
//   Data.       A condition that depends on unknown values holds and fails: both sides are counted,
//               for all threads that may take them. A loop with unknown bounds has one iteration.
//               Both set `data_dependent`, as does a global access at an unknown index, each thread
//               of which is taken to touch a sector of its own.
//   Arms.       Of a `select`, a thread evaluates the arm that it takes; of `and` and `or`, the
//               second operand where the first leaves the result open.
//   Sharing.    Equal expressions of one statement are evaluated once per thread, loads included.
//               Statements share nothing, nor do the iterations of a loop, Unrolled or not.
//   Constants.  What only literals, constants of the module, counters of loops that are written out
//               (Unrolled, Steps) and lets with `cases` decide costs nothing: no operations, no
//               branches. Thread and Block buffers are registers and cost nothing either.
//
// A compiler may still remove loads of one element in two statements with no store or barrier
// between them, and in neighbouring iterations of an Unrolled loop; move what a loop does not
// change ahead of it; replace short branches by predicates; and do without values that nobody uses.
// It adds arithmetic of addresses beyond the indices, spills, and registers that are indexed at run
// time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/count.h"
#include "compiler/kernel/plan.h"

namespace stencil::kernel {

constexpr int kWarpThreads = 32;     // with consecutive numbers in the block, thread_x fastest
constexpr int kSectorBytes = 32;     // of global memory; arrays begin at multiples of 256 bytes
constexpr int kLineSectors = 4;      // sectors of a cache line
constexpr int kSharedBanks = 32;     // of 4 bytes
constexpr int kBlockThreads = 1024;  // at most

struct Counters {
  // Elements that threads load from and store to global memory, in all and by size. Copies move
  // `count` of them; those of async and bulk copies are among them, zeros outside of the array not.
  int64_t global_loads = 0, global_stores = 0;
  int64_t loads32 = 0, loads64 = 0, stores32 = 0, stores64 = 0;
  int64_t load_bytes = 0, store_bytes = 0;
  // One for each warp and access, of up to 16 bytes per thread: what a Copy has beyond these are
  // further ones. A bulk copy of a block is one. Sectors and lines are those that a request
  // touches, summed over requests, whatever caches hold.
  int64_t load_requests = 0, store_requests = 0;
  int64_t load_sectors = 0, store_sectors = 0;
  int64_t load_lines = 0, store_lines = 0;
  // Elements, and how often the banks are busy with them: once per request, and once more for each
  // further word of 4 bytes that it wants from one bank. Threads of a warp are served together in
  // as many groups as the access has words, unless no bank is asked twice. Async and bulk copies
  // store to shared memory, bulk copies all banks at a time.
  int64_t shared_loads = 0, shared_stores = 0;
  int64_t shared_load_wavefronts = 0, shared_store_wavefronts = 0;
  // Of warps: conditions that they ask, iterations of loops that are not written out among them,
  // and of those where active threads disagree.
  int64_t branches = 0, divergent_branches = 0;
  int64_t barriers = 0;  // of blocks, waits for bulk copies among them
  int64_t shuffles = 0;  // of warps, one for each word of 4 bytes
  // Of threads. Additions, multiplications, divisions, roots and functions count once, fused
  // products twice, minima and the like not.
  int64_t flops = 0;
  // Of threads: arithmetic of any type, comparisons, conversions, accesses, branches, shuffles. An
  // estimate of the instructions that threads execute.
  int64_t operations = 0;
  FloatOperations single, real;  // F32, F64

  void add(const Counters& other, double times = 1);  // rounded
};

// The integers of Counters and their names, in a fixed order.
struct CounterName {
  const char* name;
  int64_t Counters::*value;
};
const std::vector<CounterName>& counter_names();

struct TraceOptions {
  Environment known = {};  // values of params; without: their defaults
  // Evaluations of expressions that a launch may take, by what the block in the middle takes; 0: no
  // limit. Of a launch that would take more, a random sample of at least 32 blocks is executed, one
  // out of each of as many equal ranges, the same on every computer.
  int64_t most_work = 0;
};

// One kernel, all launches of it in a tile together.
struct TracedKernel {
  int kernel = 0;  // into Module::kernels
  int64_t launches = 0;
  int64_t blocks = 0;        // of all launches
  int threads = 0;           // per block
  int64_t shared_bytes = 0;  // per block
  Counters counts = {};
  bool data_dependent = false;
  bool sampled = false;  // counts are those of a sample, scaled to all blocks
};

struct Trace {
  int64_t steps = 1;                     // of the tile
  int64_t points = 0;                    // useful ones, in each step
  std::vector<TracedKernel> kernels;     // launched by the actions of the plan, in their order
  std::vector<TracedKernel> reductions;  // launched behind them: if all were due, and the stop
                                         // condition was asked, once each; not in the total
  TracedKernel total() const;            // of `kernels`; threads and shared_bytes are the largest
};

// The first tile of a run, of the plan's time tile where nothing ends it before. The module is as a
// target with threads gets it (emit::legalise). Uses several threads (support/threads.h).
//
// Nothing, with the reason in `problem`, if threads are loops, a block has more than kBlockThreads
// of them, or the number of blocks or of points depends on a param without a value.
std::optional<Trace> trace(const Module& module, const TraceOptions& options, std::string& problem);

}  // namespace stencil::kernel
