// Kernels that compute one stencil function over the whole grid, with all operands in global
// memory.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/common/sweep.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// Points that a block computes, by dimension, outermost first.
std::vector<int64_t> points_of_block(const Schedule& schedule, int rank);

// "One sweep of flow, in place."
std::string comment_of(const Sweep& sweep);

// Appends the kernel of a sweep and its launch. The caller provides the copies.
void lower_direct(const Interface& interface, const Sweep& sweep, const Schedule& schedule,
                  const std::string& name, kernel::Module& module);

// Appends a kernel and a launch for each sweep, in order, including the required copies and
// rotations.
void append_direct(const Interface& interface, const std::vector<Sweep>& sweeps,
                   const Schedule& schedule, kernel::Module& module);

}  // namespace stencil::schedule
