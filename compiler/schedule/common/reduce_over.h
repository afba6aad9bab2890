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

// Adds the kernels of a reduction with a target. They write the target's newest level, or the older
// one if it has two levels; the levels must then be rotated.
ProfileLaunches reduce_to_profile(const ReductionModule& to, const ir::Reduction& reduction);

}  // namespace stencil::schedule
