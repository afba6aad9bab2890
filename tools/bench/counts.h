// Counts the operations of a suite's jobs; needs no device.
#pragma once

#include <functional>
#include <vector>

#include "compiler/kernel/trace.h"
#include "tools/bench/runner.h"

namespace stencil::bench {

// The GPU whose schedules are counted, a row of the table of machines.
inline constexpr const char* kCountedMachine = "sm_90";

// Counters by name, and threads (per block), blocks, shared_bytes (per block), launches,
// data_dependent and sampled.
Json json_of(const kernel::TracedKernel& traced);

// One record per job: the job's members, `settings`, and `counts`. These have the totals over all
// kernels of a time tile at the start of a run, its `points` and `steps`, each kernel under
// `kernels`, and those of reductions under `reductions`, with its name as `kernel`. Or `refused`,
// `error`, `left_out`. Kernels are emitted for CUDA. `done` and `earlier` as in Runner::run().
std::vector<Record> count_jobs(const std::vector<BenchJob>& jobs, const Settings& settings,
                               const std::function<void(const std::vector<Record>&)>& done,
                               const std::vector<Record>& earlier = {});

}  // namespace stencil::bench
