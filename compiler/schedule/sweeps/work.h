// Counts the work of sweeps for the performance model.
#pragma once

#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/schedule/model/work.h"
#include "compiler/schedule/sweeps/tile.h"

namespace stencil::schedule {

// Work of the sweeps, one launch each.
std::vector<Work> work_of(const analysis::TimeTiles& tiles, const std::vector<SweepTile>& sweeps);

}  // namespace stencil::schedule
