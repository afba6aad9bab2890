// Reductions and the stop condition: what every schedule family has in common there, and therefore
// no family's business.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/parts/interface.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// The reductions within steps.
class StepReductions {
 public:
  // Gives them a place in the plan of `module`, so that kernels can read them, and memory; nothing
  // for a program without any.
  StepReductions(const ir::Program& program, const Interface& interface, kernel::Module& module);
  // The launches of those that follow `functions` functions, as the module's next actions.
  void append(size_t functions);

 private:
  const ir::Program& program_;
  const Interface& interface_;
  kernel::Module& module_;
};

// Adds the kernels, scratch memory and plan entries that evaluate the program's reductions and its
// stop condition between tiles; not those within steps. The plan must leave every level of every
// field in its slot after each tile, which it does anyway, because the next tile reads them there.
// Nothing to do for a program without reductions. `rows`: as the module's kernels take them.
void append_reductions(const ir::Program& program, Rows rows, kernel::Module& module);

}  // namespace stencil::schedule
