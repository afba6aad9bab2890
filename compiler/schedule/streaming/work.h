// What a streamed tile asks of a GPU, counted on its plan.
#pragma once

#include "compiler/schedule/model/work.h"
#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

TileWork work_of(const analysis::TimeTiles& tiles, const Schedule& schedule,
                 const StreamPlan& plan);

}  // namespace stencil::schedule
