// Reading rows of a field through its boundary rule.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/reference/kernels.h"
#include "compiler/reference/state.h"

namespace stencil::reference {

// The index in 0..extent-1 that `index` stands for under a boundary rule other than Constant, or -1
// for a point that has no index (None and Constant, outside). extent is at least 1.
int64_t resolve(ir::BoundaryKind boundary, int64_t index, int64_t extent);

// The values an access reads at the `count` points of a row that starts at `point`, as `type`.
// `convert` converts from the component's type to `type`. Returns either `buffer`, filled, or a
// pointer into the field where the row is contiguous and needs no conversion.
const void* read_row(const ir::Field& field, const FieldData& data, const ir::Access& access,
                     Scalar type, Kernel convert, const std::vector<int64_t>& point, int64_t count,
                     void* buffer);

}  // namespace stencil::reference
