// Reductions and the stop condition: what every schedule family has in common there, and therefore
// no family's business.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// Adds the kernels, scratch memory and plan entries that evaluate the program's reductions and its
// stop condition between tiles. The plan must leave every level of every field in its slot after
// each tile, which it does anyway, because the next tile reads them there. Nothing to do for a
// program without reductions. `rows`: as the module's kernels take them.
void append_reductions(const ir::Program& program, Rows rows, kernel::Module& module);

}  // namespace stencil::schedule
