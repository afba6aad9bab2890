// The `overlapped` family: T steps per launch in shared memory, halos recomputed.
#pragma once

#include "compiler/schedule/family.h"

namespace stencil::schedule {

Family overlapped_family();

}  // namespace stencil::schedule
