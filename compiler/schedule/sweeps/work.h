// What sweeps ask of a GPU, by counting.
#pragma once

#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/schedule/model/work.h"
#include "compiler/schedule/sweeps/sweep.h"

namespace stencil::schedule {

// What a reduction reads for a point.
double bytes_read(const ir::Program& program, const ir::Reduction& reduction);

// The launches of reductions within the step: up to three each.
std::vector<Work> work_of_reductions(const analysis::TimeTiles& tiles);

// One launch each, with the block and elements of the schedule.
std::vector<Work> work_of(const analysis::TimeTiles& tiles, const std::vector<Sweep>& sweeps,
                          const Schedule& schedule);

}  // namespace stencil::schedule
