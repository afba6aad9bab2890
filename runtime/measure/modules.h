// Micro-benchmarks as modules of the kernel IR, so that they run on every device that runs kernels:
// the emitters and the device's loader are those of stencil programs. What is measured of a device
// depends on the machine alone: where threads are loops, a block is a loop over vectors in place of
// warps.
//
// The first four follow A. Schäfer and D. Fey, "High Performance Stencil Code Algorithms for
// GPGPUs", Procedia Computer Science 4 (2011), section 2 and figure 5.
//
// Compilers know neither what is computed with (parameters) nor how often it is done, and each
// block stores what it came to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "compiler/schedule/machine.h"

namespace stencil::measure {

// What a module is told: the values of its parameters, which are the same for all of them.
struct Work {
  int64_t kernel = 0;  // which of the module's measured kernels is launched
  int64_t blocks = 1;
  int32_t passes = 1;  // what a block repeats
  int64_t chunks = 1;  // of memory, kChunkBytes each unless the module says otherwise
};
constexpr int64_t kChunkBytes = 16 << 10;

// A state to run a module with.
reference::State state_of(const Work& work);

// How many steps launch the measured kernel once. Where that is 2, a tile of 1 step prepares the
// memory, which has to come first.
int steps_of_launch(const kernel::Module& module);

// A module, and what one launch of its kernels does.
struct Benchmark {
  kernel::Module module;
  int threads = 1;      // of a block
  double per_pass = 0;  // what a block does in a pass: operations, or bytes
};

// Multiply-adds on registers, four chains per thread (figure 5 a). Kernel 0: a whole block; its
// passes of `per_pass` multiply-adds. Kernel 1: one thread has one chain of kChainLength per pass.
constexpr int kChainLength = 32;
Benchmark arithmetic(Scalar type, const schedule::Machine& machine);

// Reads of all elements of a chunk per pass, from the chunk at blocks' equal shares of the memory
// on, as bits: I32 or I64.
Benchmark reads(Scalar type, const schedule::Machine& machine);

// A copy of memory (figure 5 c): one block per chunk, which is read and written.
Benchmark copies(const schedule::Machine& machine);

// A copy with kOverlapped multiply-adds per element and pass between load and store (figure 5 b);
// one block per chunk.
constexpr int kOverlapped = 8;
Benchmark overlap(Scalar type, const schedule::Machine& machine);

// Loads that each take their address from the one before, by one thread, kChaseLength per pass. A
// launch goes on where the last one ended. A chunk has kChaseNodes places kChaseBytes apart; the
// number of chunks is a power of two. Links are of the width that takes the fewest instructions on
// the way from one load to the next.
constexpr int kChaseLength = 16, kChaseNodes = 64, kChaseBytes = 128;
Benchmark chase(const schedule::Machine& machine);

// What a block shares; only where its threads are not loops. Kernels: reads of I32, of I64, a
// chain of kChaseLength loads by one warp, exchanges between neighbours (store, barrier, load,
// barrier) by a block, and from kFirstBarrier on kBarriers barriers per pass by a block of so many
// threads.
enum SharedKernel { kSharedReads, kSharedReadsLong, kSharedChase, kExchange, kFirstBarrier };
constexpr int kBarriers = 16;
struct SharedBenchmark {
  kernel::Module module;
  int threads = 1;                   // of reads and exchanges
  double bytes = 0, bytes_long = 0;  // that a block reads per pass
  std::vector<int> barrier_threads;
};
SharedBenchmark shared(const schedule::Machine& machine);

// Shuffles that each take what the one before gave, kShuffles per pass, by one warp.
constexpr int kShuffles = 16;
Benchmark shuffles();

}  // namespace stencil::measure
