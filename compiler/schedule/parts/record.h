// Records: kernels that fill rows with what the grid has at a set of points.
#pragma once

#include "compiler/schedule/parts/combine.h"

namespace stencil::schedule {

// Fills the row that is due when the steps of the tile are done or, with `samples` (scratch memory,
// samples.h), those that are due in it. A thread per point and row.
kernel::Launch record_rows(const ReductionModule& to, const ir::Reduction& record, int samples);

}  // namespace stencil::schedule
