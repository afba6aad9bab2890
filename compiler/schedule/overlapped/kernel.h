// The kernels of the `overlapped` family.
#pragma once

#include "compiler/kernel/plan.h"
#include "compiler/schedule/overlapped/plan.h"

namespace stencil::schedule {

void lower_overlapped(const OverlappedTile& tile, kernel::Module& module);

}  // namespace stencil::schedule
