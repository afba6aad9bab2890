// Counts the operations of a suite's jobs; needs no device.
#pragma once

#include <functional>
#include <vector>

#include "compiler/kernel/trace.h"
#include "tools/bench/runner.h"

namespace stencil::bench {

// The GPU whose schedules are counted, a row of the table of machines.
inline constexpr const char* kCountedMachine = "sm_90";

// The counters by name, plus threads (per block), blocks, shared_bytes (per block), launches,
// data_dependent and sampled.
Json json_of(const kernel::TracedKernel& traced);

// One record per job, with the job's members, `settings` and `counts`. `counts` describes the first
// time tile of a run: the totals over all kernels, `points`, `steps`, and the list `kernels`. The
// list has the counts of each kernel, with its name as `kernel`. The list `reductions` has the same
// form, for the kernels of reductions. A job that cannot be counted has `refused`, `error` or
// `left_out` instead. Kernels are emitted for CUDA. `done` and `earlier` as in Runner::run().
std::vector<Record> count_jobs(const std::vector<BenchJob>& jobs, const Settings& settings,
                               const std::function<void(const std::vector<Record>&)>& done,
                               const std::vector<Record>& earlier = {});

}  // namespace stencil::bench
