// Counts the work of a streamed tile for the performance model.
#pragma once

#include "compiler/schedule/model/work.h"
#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

TileWork work_of(const analysis::TimeTiles& tiles, const Schedule& schedule,
                 const StreamPlan& plan);

}  // namespace stencil::schedule
