// The kernels of the `planes` family.
#pragma once

#include "compiler/kernel/plan.h"
#include "compiler/schedule/planes/plan.h"

namespace stencil::schedule {

// `plan`: for the schedule's T. Kernels for fewer steps get their own plan if needed.
void lower_planes(const analysis::TimeTiles& tiles, const Schedule& schedule,
                  const PlanesPlan& plan, kernel::Module& module);

}  // namespace stencil::schedule
