// Reductions over some of the grid's dimensions, which produce a profile over the others.
#pragma once

#include <vector>

#include "compiler/schedule/common/combine.h"

namespace stencil::schedule {

struct ProfileLaunches {
  std::vector<kernel::Launch> launches;  // in order
  // Index into Plan::scratch, for floating-point values: one I32 per block of the last launch,
  // nonzero if that block produced a NaN.
  int some_nan = kernel::kNoScratch;
};

// Adds the kernels of a reduction with a target. If the target has two levels, the kernels write
// the older one, and the levels must then be rotated. Otherwise they write the newest level.
ProfileLaunches reduce_to_profile(const ReductionModule& to, const ir::Reduction& reduction);

}  // namespace stencil::schedule
