// MPI launchers give each process its rank, and most also the number of processes, in environment
// variables of their own. SLURM_NTASKS is not used: it is also set in batch scripts, whose commands
// are not parallel steps.
#include "runtime/cluster/launcher.h"

#include <cstdlib>

#include "compiler/support/numbers.h"

namespace stencil::runtime {

Launched launched() {
  constexpr const char* kSizes[] = {
      "OMPI_COMM_WORLD_SIZE",  // Open MPI
      "PMI_SIZE",              // Hydra (MPICH, Intel MPI), Cray
      "MV2_COMM_WORLD_SIZE",   // MVAPICH2
      "FLUX_JOB_SIZE",         // Flux
      "JSM_NAMESPACE_SIZE",    // jsrun of IBM
      "SLURM_STEP_NUM_TASKS",  // srun
  };
  for (const char* name : kSizes) {
    const char* const text = std::getenv(name);
    const auto number = parse_number<int>(text != nullptr ? text : "");
    if (number.has_value() && *number > 0) return {*number, name};
  }
  for (const char* name : {"PMIX_RANK", "PMI_RANK", "ALPS_APP_PE"}) {
    if (std::getenv(name) != nullptr) return {0, name};
  }
  return {};
}

}  // namespace stencil::runtime
