// Reading rows of a field through its boundary rule.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/reference/kernels.h"
#include "compiler/reference/state.h"

namespace stencil::reference {

// The resolved index of one dimension: in 0..extent-1, or -1 if the rule that applies leads to no
// point (None or Constant); `rule` is then this rule. extent must be at least 1 unless both rules
// are of these kinds.
struct Resolved {
  int64_t index = -1;
  const ir::BoundaryRule* rule = nullptr;
};
Resolved resolve(const ir::Boundary& rules, int64_t index, int64_t extent);

// The values that an access reads in the current step at the `count` points of a row that starts at
// `point`, as `type`. `convert` converts from the component's type to `type`. Returns `buffer`,
// filled, or a pointer into the field if the row is contiguous there and needs no conversion.
const void* read_row(const ir::Field& field, const FieldData& data, const ir::Access& access,
                     Scalar type, Kernel convert, const std::vector<int64_t>& point, int64_t step,
                     int64_t count, void* buffer);

}  // namespace stencil::reference
