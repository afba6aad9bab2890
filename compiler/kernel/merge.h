// Several launches become one, which saves the time between kernels.
#pragma once

#include <set>
#include <string>

#include "compiler/kernel/plan.h"

namespace stencil::kernel {

// Replaces consecutive launches of `kernels` among the actions of the loop, together with the swaps
// and repeats between them, by one launch of a single block. The block computes the blocks of each
// launch one after another, with barriers between the launches. All of the kernels must have the
// same threads. Those with buffers of their own or an open number of blocks keep their launches.
// `name` names the first new kernel; further ones get numbers.
void merge_launches(Module& module, Loop& loop, const std::set<int>& kernels,
                    const std::string& name);

// Removes kernels that nothing launches.
void drop_unused_kernels(Module& module);

}  // namespace stencil::kernel
