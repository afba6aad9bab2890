// Counts the work of reductions for the performance model.
#pragma once

#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/schedule/model/work.h"

namespace stencil::schedule {

// Bytes that a reduction reads per point.
double bytes_read(const ir::Program& program, const ir::Reduction& reduction);

// Work of a reduction's launches: up to three.
std::vector<Work> work_of(const analysis::TimeTiles& tiles, const ir::Reduction& reduction);

}  // namespace stencil::schedule
