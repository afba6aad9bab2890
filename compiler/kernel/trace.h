// Executes the launches of a plan thread by thread and counts what a GPU's hardware counters would
// count for the kernel IR as it stands. count.h counts without executing.
//
// Only the integer part of a kernel is executed, for all threads of a block at once. Floats and
// values loaded from global memory are unknown: only the accessed elements are known. Other buffers
// hold their integers (masks, flags, coordinates).
//
//   Data.       A condition on unknown values counts as both true and false: both sides are counted
//               for all threads that may take them. A loop with unknown bounds has one iteration.
//               Both set `data_dependent`, as does a global access at an unknown index, for which
//               each thread is assumed to touch a different sector.
//   Arms.       For a `select`, a thread evaluates only the arm that it takes. For `and` and `or`,
//               it evaluates the second operand only if the first does not decide the result.
//   Sharing.    Equal expressions of one statement are evaluated once per thread, including loads.
//               Nothing is shared between statements or iterations of a loop, even Unrolled.
//   Constants.  Values that depend only on literals, constants of the module, counters of unrolled
//               loops (Unrolled, Steps) and lets with `cases` cost nothing: no operations and no
//               branches. Thread and Block buffers are registers and cost nothing either.
//
// A real compiler may also merge loads of one element in two statements without a store or barrier
// in between, and in neighbouring iterations of an Unrolled loop. It may hoist loop invariants,
// replace short branches by predicates and remove unused values. It adds address arithmetic beyond
// the indices, spills, and dynamically indexed registers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/count.h"
#include "compiler/kernel/plan.h"

namespace stencil::kernel {

constexpr int kWarpThreads = 32;     // consecutive thread numbers, thread_x fastest
constexpr int kSectorBytes = 32;     // of global memory; arrays begin at multiples of 256 bytes
constexpr int kLineSectors = 4;      // sectors of a cache line
constexpr int kSharedBanks = 32;     // of 4 bytes
constexpr int kBlockThreads = 1024;  // upper limit

struct Counters {
  // Elements loaded from and stored to global memory, in total and by element size. A Copy moves
  // `count` elements. Async and bulk copies are included; zeros that a bulk copy fills in are not.
  int64_t global_loads = 0, global_stores = 0;
  int64_t loads32 = 0, loads64 = 0, stores32 = 0, stores64 = 0;
  int64_t load_bytes = 0, store_bytes = 0;
  // Requests: one per warp and access of up to 16 bytes per thread; a longer Copy needs several. A
  // bulk copy of a block is one request. Sectors and lines are those touched by a request, summed
  // over requests, regardless of cache contents.
  int64_t load_requests = 0, store_requests = 0;
  int64_t load_sectors = 0, store_sectors = 0;
  int64_t load_lines = 0, store_lines = 0;
  // Elements, and wavefronts: one per request, plus one for each further 4-byte word that it needs
  // from the same bank. Accesses of several words are served in as many groups of threads as an
  // access has words, unless the whole warp has no bank conflict. Async and bulk copies store to
  // shared memory; bulk copies use all banks at a time.
  int64_t shared_loads = 0, shared_stores = 0;
  int64_t shared_load_wavefronts = 0, shared_store_wavefronts = 0;
  // Per warp: evaluated conditions, including iterations of loops that are not unrolled, and those
  // conditions on which active threads disagree.
  int64_t branches = 0, divergent_branches = 0;
  int64_t barriers = 0;  // per block, including waits for bulk copies
  int64_t shuffles = 0;  // per warp, one for each 4-byte word
  // Summed over threads. Additions, multiplications, divisions, roots and functions count once,
  // fused multiply-adds twice; minima, maxima and the like do not count.
  int64_t flops = 0;
  // Summed over threads: arithmetic of any type, comparisons, conversions, accesses, branches,
  // shuffles. An estimate of the number of executed instructions.
  int64_t operations = 0;
  FloatOperations single, real;  // F32, F64

  void add(const Counters& other, double times = 1);  // rounded
};

// The integer counters and their names, in a fixed order.
struct CounterName {
  const char* name;
  int64_t Counters::*value;
};
const std::vector<CounterName>& counter_names();

struct TraceOptions {
  Environment known = {};  // values of params; empty: their defaults
  // Limit on the expression evaluations of a launch, estimated from its middle block; 0: no limit.
  // If a launch exceeds the limit, its blocks are divided into equal ranges, at least 32, and one
  // random block of each range is executed. The sample is the same on every computer.
  int64_t most_work = 0;
};

// One kernel, with all its launches in a tile.
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
  int64_t points = 0;                    // useful point updates per step
  std::vector<TracedKernel> kernels;     // launched by the plan's actions, in order
  std::vector<TracedKernel> reductions;  // launched after the tile, if all are due and the stop
                                         // condition is evaluated once; not part of total()
  TracedKernel total() const;            // of `kernels`; threads and shared_bytes are maxima
};

// Traces the first tile of a run. It has the length of the plan's time tile, unless a reduction or
// the stop condition is due earlier. The module must be legalized for a target with threads
// (emit::legalise). Uses several threads (support/threads.h).
//
// Returns nullopt, with the reason in `problem`, if threads are loops, if a block has more than
// kBlockThreads threads, or if the number of blocks or points depends on a param without a value.
std::optional<Trace> trace(const Module& module, const TraceOptions& options, std::string& problem);

}  // namespace stencil::kernel
