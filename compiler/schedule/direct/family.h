// The `direct` family: one kernel per stencil function and step, a thread per point or a few
// points.
#pragma once

#include "compiler/schedule/family.h"

namespace stencil::schedule {

Family direct_family();

}  // namespace stencil::schedule
