// The kernels of the `streaming` family.
#pragma once

#include "compiler/kernel/plan.h"
#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

// `plan`: for the schedule's T. Kernels for fewer steps get their own plan if needed.
void lower_streaming(const analysis::TimeTiles& tiles, const Schedule& schedule,
                     const StreamPlan& plan, kernel::Module& module);

}  // namespace stencil::schedule
