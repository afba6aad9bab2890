// Micro-benchmarks as modules of the kernel IR, so that they run on every device that runs kernels,
// through the same emitters and loaders as stencil programs. The kernels of a benchmark depend only
// on the machine: if it runs threads as loops, a block is a loop over vectors, otherwise a set of
// warps.
//
// The first four follow A. Schäfer and D. Fey, "High Performance Stencil Code Algorithms for
// GPGPUs", Procedia Computer Science 4 (2011), section 2 and figure 5.
//
// Operands and repeat counts are parameters unknown to the compiler, and each block stores its
// result; so nothing is optimised away.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "compiler/schedule/machine.h"

namespace stencil::measure {

// Values of the parameters, which are the same for all modules.
struct Work {
  int64_t kernel = 0;  // number of the measured kernel to launch
  int64_t blocks = 1;
  int32_t passes = 1;  // repetitions within a block
  int64_t chunks = 1;  // of memory; kChunkBytes each unless noted otherwise
};
constexpr int64_t kChunkBytes = 16 << 10;

// A state with which to run a module.
reference::State state_of(const Work& work);

// Number of steps that launch the measured kernel once. If it is 2, a tile of 1 step prepares the
// memory and must run first.
int steps_of_launch(const kernel::Module& module);

// A module, and the work of one launch.
struct Benchmark {
  kernel::Module module;
  int threads = 1;      // per block
  double per_pass = 0;  // operations or bytes per block and pass
};

// Multiply-adds on registers, four chains per thread (figure 5 a). Kernel 0: full blocks with
// `per_pass` multiply-adds per pass. Kernel 1: one thread with one chain of kChainLength per pass.
constexpr int kChainLength = 32;
Benchmark arithmetic(Scalar type, const schedule::Machine& machine);

// Reads of all elements (I32 or I64) of one chunk per pass. Blocks start at equally spaced chunks
// of the memory.
Benchmark reads(Scalar type, const schedule::Machine& machine);

// A copy of memory (figure 5 c): one block per chunk.
Benchmark copies(const schedule::Machine& machine);

// A copy with kOverlapped multiply-adds per element and pass between load and store (figure 5 b);
// one block per chunk.
constexpr int kOverlapped = 8;
Benchmark overlap(Scalar type, const schedule::Machine& machine);

// Dependent loads by one thread, kChaseLength per pass. A launch continues where the previous one
// ended. A chunk has kChaseNodes nodes, kChaseBytes apart; the number of chunks must be a power of
// two. A node holds the index of the next one, in the integer type that needs the fewest
// instructions between two loads.
constexpr int kChaseLength = 16, kChaseNodes = 64, kChaseBytes = 128;
Benchmark chase(const schedule::Machine& machine);

// Shared memory and barriers, unless Machine::threads_are_loops. SharedKernel numbers the kernels:
// reads of I32; reads of I64; a chain of kChaseLength loads by one warp; exchanges between
// neighbours in a block (store, barrier, load, barrier). From kFirstBarrier on, there is one kernel
// per block size, with kBarriers barriers per pass.
enum SharedKernel { kSharedReads, kSharedReadsLong, kSharedChase, kExchange, kFirstBarrier };
constexpr int kBarriers = 16;
struct SharedBenchmark {
  kernel::Module module;
  int threads = 1;                   // for reads and exchanges
  double bytes = 0, bytes_long = 0;  // per block and pass
  std::vector<int> barrier_threads;
};
SharedBenchmark shared(const schedule::Machine& machine);

// Dependent shuffles, kShuffles per pass, by one warp.
constexpr int kShuffles = 16;
Benchmark shuffles();

}  // namespace stencil::measure
