// The kernels of the `overlapped` family.
#pragma once

#include "compiler/kernel/plan.h"
#include "compiler/schedule/overlapped/plan.h"

namespace stencil::schedule {

kernel::Module lower_overlapped(const OverlappedTile& tile);

}  // namespace stencil::schedule
