// The `overlapped` family: T steps per launch in shared memory, with redundantly computed halos.
#pragma once

#include "compiler/schedule/family.h"

namespace stencil::schedule {

Family overlapped_family();

}  // namespace stencil::schedule
