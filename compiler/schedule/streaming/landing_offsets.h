// Boundary rules as offsets that are known when a kernel is made.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/analysis/reads.h"

namespace stencil::schedule {

// Offsets in dimension d at which an access may read once its field's boundary rules are applied:
// the access's own and, where it may leave the field, all others that it may reach (reach_of). If
// it is only mirrored, that is every second one, unless the field may have but one point there.
std::vector<int> landing_offsets(const ir::Field& field, const ir::Access& access, size_t d);
// In all dimensions: every combination.
std::vector<std::vector<int>> landing_offsets(const ir::Field& field, const ir::Access& access);
// How many there are at least, found without listing them.
int64_t landing_count(const ir::Field& field, const ir::Access& access);

}  // namespace stencil::schedule
