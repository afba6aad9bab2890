// Counts the work of sweeps for the performance model.
#pragma once

#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/sweep.h"
#include "compiler/schedule/model/work.h"

namespace stencil::schedule {

// The piece of a function that covers most points.
size_t main_piece_of(const ir::Function& function);

// One launch of a sweep: its blocks, stores and memory traffic. `operations`: those of a thread,
// without its stores. `core`: points that a block writes, by dimension. If `by_planes`, a block
// passes the first dimension plane by plane.
Work launch_of(const analysis::TimeTiles& tiles, const Sweep& sweep, const Schedule& schedule,
               const Operations& operations, const std::vector<int64_t>& core, bool by_planes);

// Work of sweeps as `direct` executes them, one launch each.
std::vector<Work> work_of(const analysis::TimeTiles& tiles, const std::vector<Sweep>& sweeps,
                          const Schedule& schedule);
Work work_of(const analysis::TimeTiles& tiles, const Sweep& sweep, const Schedule& schedule);

}  // namespace stencil::schedule
