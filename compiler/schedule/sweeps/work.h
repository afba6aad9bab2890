// What sweeps ask of a GPU, by counting.
#pragma once

#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/schedule/model/work.h"
#include "compiler/schedule/sweeps/tile.h"

namespace stencil::schedule {

// What a reduction reads for a point.
double bytes_read(const ir::Program& program, const ir::Reduction& reduction);

// The launches of a reduction: up to three.
std::vector<Work> work_of(const analysis::TimeTiles& tiles, const ir::Reduction& reduction);

// One launch each.
std::vector<Work> work_of(const analysis::TimeTiles& tiles, const std::vector<SweepTile>& sweeps);

}  // namespace stencil::schedule
