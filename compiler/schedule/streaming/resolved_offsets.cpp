// Planes are in registers, whose indices must be compile-time constants. So boundary rules are
// expressed as lists of possible offsets instead of computed coordinates
// (common/resolved_access.h).
#include "compiler/schedule/streaming/resolved_offsets.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/support/work.h"

namespace stencil::schedule {

int64_t resolved_offset_count(const ir::Field& field, const ir::Access& access) {
  constexpr int64_t kMost = 1 << 20;  // far from overflow
  int64_t count = 1;
  for (size_t d = 0; d < access.maps.size(); ++d) {
    const bool clamps = ir::meets(field, access, d, ir::BoundaryKind::Clamp);
    if (!clamps && !ir::meets(field, access, d, ir::BoundaryKind::Mirror)) continue;
    const analysis::Reach reach = analysis::reach_of(field, access, d);
    const int64_t span = reach.low + reach.high;
    count = std::min(count * std::min((clamps ? span : span / 2) + 1, kMost), kMost);
  }
  return count;
}

std::vector<int> resolved_offsets(const ir::Field& field, const ir::Access& access, size_t d) {
  const int offset = access.offset(d);
  const bool clamps = ir::meets(field, access, d, ir::BoundaryKind::Clamp);
  std::vector<int> out = {offset};
  if (!clamps && !ir::meets(field, access, d, ir::BoundaryKind::Mirror)) return out;
  const analysis::Reach reach = analysis::reach_of(field, access, d);
  const int step = clamps ? 1 : 2;  // reflection moves by an even number of places
  support::count_work((reach.low + reach.high) / step);
  for (int at = offset + step; at <= reach.high; at += step) out.push_back(at);
  for (int at = offset - step; at >= -reach.low; at -= step) out.push_back(at);
  if (clamps) return out;
  const auto add = [&](int64_t at) {
    const int place = static_cast<int>(at);
    if (at < -reach.low || at > reach.high) return;
    if (std::find(out.begin(), out.end(), place) == out.end()) out.push_back(place);
  };
  // A reflection may end beyond the far edge. A mirror there reflects it back, by an even number of
  // places unless there is a single point. A clamp there moves it to the edge.
  const ir::Affine last = field.box.ranges[d].high - field.box.ranges[d].low;
  const int64_t below = access.excess[d].below.value_or(0);
  const int64_t above = access.excess[d].above.value_or(0);
  const ir::Boundary& rules = field.boundary[d];
  const bool both = rules.low.kind == rules.high.kind;
  if (both && (!last.is_constant() || last.constant == 0)) {
    for (int64_t at = -above; at <= below; ++at) add(at);
  }
  const int64_t farthest = std::abs(offset) + std::max(below, above);
  const bool crosses = !last.is_constant() || last.constant < farthest;
  if (!crosses || !rules.has(ir::BoundaryKind::Clamp)) return out;
  const int64_t across = last.is_constant() ? last.constant : farthest;
  if (access.escapes_below(d)) {
    for (int64_t at = -above; at <= across + below; ++at) add(at);
  } else {
    for (int64_t at = below; at >= -(across + above); --at) add(at);
  }
  return out;
}

std::vector<std::vector<int>> resolved_offsets(const ir::Field& field, const ir::Access& access) {
  std::vector<std::vector<int>> out = {{}};
  for (size_t d = 0; d < access.maps.size(); ++d) {
    std::vector<std::vector<int>> longer;
    for (const auto& head : out) {
      for (int place : resolved_offsets(field, access, d)) {
        longer.push_back(head);
        longer.back().push_back(place);
      }
    }
    out = std::move(longer);
  }
  return out;
}

}  // namespace stencil::schedule
