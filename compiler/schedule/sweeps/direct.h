// The `direct` family: one kernel per stencil function and step.
#pragma once

#include "compiler/schedule/family.h"

namespace stencil::schedule {

Family direct_family();

}  // namespace stencil::schedule
