// Records: kernels that store field values at a set of points, one row per recorded step.
#pragma once

#include "compiler/schedule/common/combine.h"

namespace stencil::schedule {

// The launch that fills the row due at the end of the tile. With `samples` (scratch memory,
// samples.h), it fills all rows due within the tile. It uses one thread per point and row.
kernel::Launch record_rows(const ReductionModule& to, const ir::Reduction& record, int samples);

}  // namespace stencil::schedule
