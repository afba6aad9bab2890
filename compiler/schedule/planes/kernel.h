// The kernels of the `planes` family.
#pragma once

#include "compiler/kernel/plan.h"
#include "compiler/schedule/planes/plan.h"

namespace stencil::schedule {

// `plan`: that of the schedule; tiles of fewer steps get one of their own where they need it.
void lower_planes(const analysis::TimeTiles& tiles, const Schedule& schedule,
                  const PlanesPlan& plan, kernel::Module& module);

}  // namespace stencil::schedule
