// Reductions over some of the grid's dimensions: kernels that make a profile of the others.
#pragma once

#include <vector>

#include "compiler/schedule/parts/combine.h"

namespace stencil::schedule {

struct ProfileLaunches {
  std::vector<kernel::Launch> launches;  // in order
  // Into Plan::scratch, of values in floating point: one I32 for each block of the last launch, not
  // 0 where that has made a NaN.
  int some_nan = kernel::kNoScratch;
};

// Adds the kernels of a reduction that has a target. They write its newest level, or, where it has
// two, the older one: then the levels have to trade places.
ProfileLaunches reduce_to_profile(const ReductionModule& to, const ir::Reduction& reduction);

}  // namespace stencil::schedule
