// Reading rows of a field through its boundary rule.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/reference/kernels.h"
#include "compiler/reference/state.h"

namespace stencil::reference {

// What an index of one dimension stands for: one in 0..extent-1, or, where that is -1, the rule
// that holds there (None or Constant). extent is at least 1 unless both rules are of these kinds.
struct Resolved {
  int64_t index = -1;
  const ir::BoundaryRule* rule = nullptr;
};
Resolved resolve(const ir::Boundary& rules, int64_t index, int64_t extent);

// The values an access reads at the `count` points of a row that starts at `point`, in the running
// step, as `type`.
// `convert` converts from the component's type to `type`. Returns either `buffer`, filled, or a
// pointer into the field where the row is contiguous and needs no conversion.
const void* read_row(const ir::Field& field, const FieldData& data, const ir::Access& access,
                     Scalar type, Kernel convert, const std::vector<int64_t>& point, int64_t step,
                     int64_t count, void* buffer);

}  // namespace stencil::reference
