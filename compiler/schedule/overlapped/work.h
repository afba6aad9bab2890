// What an overlapped tile asks of a GPU, by counting.
#pragma once

#include "compiler/schedule/model/work.h"
#include "compiler/schedule/overlapped/plan.h"

namespace stencil::schedule {

// `tiles`: of the whole program.
TileWork work_of(const analysis::TimeTiles& tiles, const OverlappedTile& tile);

}  // namespace stencil::schedule
