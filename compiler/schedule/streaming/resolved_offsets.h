// Boundary rules as sets of compile-time offsets.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/analysis/reads.h"

namespace stencil::schedule {

// Offsets in dimension d at which an access may read after boundary rules: its own and, if it may
// leave the field, all others that it may reach (reach_of). If only mirrored, that is every second
// offset, unless the field may have a single point in this dimension.
std::vector<int> resolved_offsets(const ir::Field& field, const ir::Access& access, size_t d);
// For all dimensions: every combination of offsets.
std::vector<std::vector<int>> resolved_offsets(const ir::Field& field, const ir::Access& access);
// A lower bound on the number of combinations, without listing them.
int64_t resolved_offset_count(const ir::Field& field, const ir::Access& access);

}  // namespace stencil::schedule
