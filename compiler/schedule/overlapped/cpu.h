// Tile sizes of `overlapped` for CPUs.
#pragma once

#include <memory>

#include "compiler/schedule/machine.h"
#include "compiler/schedule/overlapped/plan.h"

namespace stencil::schedule {

// The first tile of a fixed list that is at most half halo and fits the second-level cache, with at
// most `deepest` steps. If none qualifies, a tile of one step.
Schedule overlapped_on_cpu(const std::shared_ptr<const OverlappedStep>& step,
                           const Machine& machine, int deepest);

}  // namespace stencil::schedule
