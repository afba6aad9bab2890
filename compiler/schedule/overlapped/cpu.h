// Tiles of `overlapped` for a CPU.
#pragma once

#include <memory>

#include "compiler/schedule/machine.h"
#include "compiler/schedule/overlapped/plan.h"

namespace stencil::schedule {

// The first of some usual tiles that is at most half halo and fits the second-level cache, with at
// most `deepest` steps; one step if none does.
Schedule overlapped_on_cpu(const std::shared_ptr<const OverlappedStep>& step,
                           const Machine& machine, int deepest);

}  // namespace stencil::schedule
