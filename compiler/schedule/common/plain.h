// Host-side modules in the kernel IR: plain sweeps, which serve emitted programs as a reference,
// and initial values.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"

namespace stencil::schedule {

// One loop nest per stencil function.
kernel::Module lower_plain(const ir::Program& program);
// One kernel per array, launched once each.
kernel::Module lower_initial_values(const ir::Program& program);

}  // namespace stencil::schedule
