// Reductions and the stop condition. This part is the same for all families.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/common/interface.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// Reductions within steps.
class StepReductions {
 public:
  // Adds plan entries and memory for the reductions within steps to `module`, so that kernels can
  // read them. Does nothing if the program has no such reductions.
  StepReductions(const ir::Program& program, const Interface& interface, kernel::Module& module);
  // Appends the launches of these reductions, which the step evaluates one after another.
  void append(const ir::Evaluations& evaluations);

 private:
  const ir::Program& program_;
  const Interface& interface_;
  kernel::Module& module_;
};

// Adds the kernels, scratch memory and plan entries of the reductions and the stop condition that
// are evaluated between tiles. Requires every level to be in its slot after each tile, as the next
// tile does. `rows`: layout used by the module's kernels.
void append_reductions(const ir::Program& program, Rows rows, kernel::Module& module);

}  // namespace stencil::schedule
