// Counts of a suite's jobs, for which no device is needed.
#pragma once

#include <functional>
#include <vector>

#include "compiler/kernel/trace.h"
#include "tools/bench/runner.h"

namespace stencil::bench {

// Whose schedules are counted: a GPU, by its row in the table of machines.
inline constexpr const char* kCountedMachine = "sm_90";

// Counters by their names, and threads (per block), blocks, shared_bytes (per block), launches,
// data_dependent and sampled.
Json json_of(const kernel::TracedKernel& traced);

// For each job the parts of the job, `settings`, and `counts`: those of all kernels of a time tile
// that starts a run, its `points` and `steps`, and each kernel under `kernels`, those of reductions
// under `reductions`, with `kernel`, its name. Or `refused`, `error`, `left_out`. Kernels are
// CUDA's. Calls `done` and takes `earlier` as Runner::run().
std::vector<Record> count_jobs(const std::vector<BenchJob>& jobs, const Settings& settings,
                               const std::function<void(const std::vector<Record>&)>& done,
                               const std::vector<Record>& earlier = {});

}  // namespace stencil::bench
