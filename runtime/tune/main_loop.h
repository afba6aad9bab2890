// Finds the main loop of a kernel in its machine code, and the instructions that a thread issues
// per iteration.
//
// Compilers unroll loops, peel iterations and duplicate loops. But they preserve the visible
// effects of an iteration: bytes stored to global and to shared memory, and values taken from other
// threads. So a machine-code loop is the main loop if all three correspond to the same whole number
// of iterations.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/kernel.h"
#include "compiler/schedule/model/work.h"
#include "runtime/devices/sass.h"

namespace stencil::tune {

struct MainLoop {
  std::string unmatched = {};  // reason if it was not found, a phrase; else ""
  double iterations = 1;       // kernel iterations per trip of the machine-code loop
  // Per kernel iteration, in the version for the interior of the grid and in the version for its
  // edges; equal if there is one version.
  schedule::Issued inside = {}, at_edge = {};
};

// `kernel` must be legalised for the target that the code was compiled for; `constants` are its
// module's. If kernel and code have no loops, the whole kernel is one iteration. Iterations are
// counted by the loop variable: a loop with step 2 does two at once.
MainLoop main_loop_of(const kernel::Kernel& kernel,
                      const std::vector<kernel::NamedConstant>& constants,
                      const runtime::MachineWork& work);

}  // namespace stencil::tune
