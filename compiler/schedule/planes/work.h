// Counts the work of a `planes` tile for the performance model.
#pragma once

#include "compiler/schedule/model/work.h"
#include "compiler/schedule/planes/plan.h"

namespace stencil::schedule {

TileWork work_of(const analysis::TimeTiles& tiles, const Schedule& schedule,
                 const PlanesPlan& plan);

}  // namespace stencil::schedule
