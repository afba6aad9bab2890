// The kernels of the `streaming` family.
#pragma once

#include "compiler/kernel/plan.h"
#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

// `plan`: that of the schedule; tiles of fewer steps get one of their own where they need it.
void lower_streaming(const analysis::TimeTiles& tiles, const Schedule& schedule,
                     const StreamPlan& plan, kernel::Module& module);

}  // namespace stencil::schedule
