// What a tile of planes asks of a machine, by counting.
#pragma once

#include "compiler/schedule/model/work.h"
#include "compiler/schedule/planes/plan.h"

namespace stencil::schedule {

TileWork work_of(const analysis::TimeTiles& tiles, const Schedule& schedule,
                 const PlanesPlan& plan);

}  // namespace stencil::schedule
