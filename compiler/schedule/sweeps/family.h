// The `sweeps` family: kernels of a decade of papers, one per stencil function and step.
#pragma once

#include "compiler/schedule/family.h"

namespace stencil::schedule {

Family sweeps_family();

}  // namespace stencil::schedule
