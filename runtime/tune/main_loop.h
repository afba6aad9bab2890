// The main loop of a kernel in the machine code that a compiler made of it, and what a thread
// issues in one of its iterations.
//
// Compilers unroll loops, peel iterations off, and make several loops of one. But they neither drop
// nor double what others can see of an iteration: bytes stored to global and to shared memory, and
// values taken from other threads. So a loop of the machine code is the main loop if a trip of it
// does a whole number of iterations by all three.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/kernel.h"
#include "compiler/schedule/model/work.h"
#include "runtime/devices/sass.h"

namespace stencil::tune {

struct MainLoop {
  std::string unmatched = {};  // why it is not known, a phrase; "": it is
  double iterations = 1;       // in one trip of the machine code's loop
  // Of one iteration of the kernel, in the version for the inside of the grid, and in that for its
  // edges: the same where there is one version.
  schedule::Issued inside = {}, at_edge = {};
};

// `kernel`: legalised for the target that the code was compiled for; `constants`: its module's. Of
// a kernel without loops, in either form, the whole is the iteration. Iterations are those of the
// loop's variable: a loop by steps of 2 does two in one.
MainLoop main_loop_of(const kernel::Kernel& kernel,
                      const std::vector<kernel::NamedConstant>& constants,
                      const runtime::MachineWork& work);

}  // namespace stencil::tune
