// How much code the compiler of the target sees in a module.
#pragma once

#include "compiler/kernel/plan.h"

namespace stencil::kernel {

// The mean number of times that a node of the module's expressions is compiled: 1 without lets that
// have `cases`; behind each of these, nodes count twice.
double instances_of_nodes(const Module& module);

}  // namespace stencil::kernel
