// Counts the work of an overlapped tile for the performance model.
#pragma once

#include "compiler/schedule/model/work.h"
#include "compiler/schedule/overlapped/plan.h"

namespace stencil::schedule {

// `tiles`: time tiles of the whole program.
TileWork work_of(const analysis::TimeTiles& tiles, const OverlappedTile& tile);

}  // namespace stencil::schedule
