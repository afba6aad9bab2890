// Proofs about the indices that accesses read. If all sizes are known, every condition is decided
// at once. With open params, a condition is a system of affine inequalities: the facts, and the
// fact that the region is not empty (implies_nonnegative).
#include "compiler/ir/region.h"

#include <utility>

namespace stencil::ir {

Verdict decide(const std::vector<Affine>& facts, const Affine& goal) {
  if (implies_nonnegative(facts, goal)) return Verdict::Holds;
  if (implies_nonnegative(facts, Affine{-1, {}} - goal)) return Verdict::Fails;
  return Verdict::Unknown;
}

void add_nonempty(std::vector<Affine>& facts, const Box& box) {
  for (const Range& range : box.ranges) {
    const Affine fact = range.high - range.low;
    if (!fact.is_constant() || fact.constant < 0) facts.push_back(fact);
  }
}

RegionBounds::RegionBounds(const Program& program, std::vector<Affine> facts, const Box& region,
                           const std::vector<const Box*>& places)
    : program_(program), region_(region), facts_(std::move(facts)) {
  add_nonempty(facts_, region);
  facts_of_place_ = facts_;
  for (const Box* box : places) {
    for (size_t d = 0; d < region.ranges.size(); ++d) {
      facts_of_place_.push_back(region.ranges[d].low - box->ranges[d].low);
      facts_of_place_.push_back(box->ranges[d].high - region.ranges[d].high);
    }
  }
}

// The range of the region in dimension d of the accessed field.
const Range& RegionBounds::region_in(const Access& access, size_t d) const {
  return region_.ranges[field_of(access).dimension(d)];
}

// The index that must be reached at least (at the low side) or at most, so that the index itself or
// its image (End::of) lies in the field.
Affine RegionBounds::limit(const Access& access, const End& end) const {
  const Range& domain = field_of(access).box.ranges[end.dimension];
  const bool low = end.side == Side::Low;
  const Affine& edge = low ? domain.low : domain.high;
  const Affine& far = low ? domain.high : domain.low;
  const int inwards = low ? 1 : -1;
  switch (end.of) {
    case Of::Index:
      break;
    case Of::Reflection:
      return edge * 2 - far + inwards * end.inside;
    case Of::Wrap:
      return edge * 2 - far - inwards + inwards * end.inside;
  }
  return edge + inwards * end.inside;
}

// The condition that the index keeps its limit at this end of the region, as an expression that
// must be nonnegative: for the map floor((s * i + a) / d), s * i + a >= d * limit at the low side
// and s * i + a <= d * limit + d - 1 at the high side.
Affine RegionBounds::goal(const Access& access, const End& end) const {
  const auto d = static_cast<size_t>(end.dimension);
  const IndexMap& map = access.maps[d];
  const Range& region = region_in(access, d);
  const Affine bound = limit(access, end) * map.divisor;
  if (end.side == Side::Low) return region.low * map.scale + map.offset - bound;
  return bound + (map.divisor - 1) - (region.high * map.scale + map.offset);
}

Verdict RegionBounds::verdict(const Access& access, const End& end) {
  const Affine wanted = goal(access, end);
  if (wanted.is_constant() && wanted.constant >= 0) return Verdict::Holds;
  const int offset = access.offset(end.dimension);
  const auto [place, fresh] = known_.try_emplace({access.field, end, offset}, Verdict::Unknown);
  if (fresh) place->second = decide(facts_, wanted);
  return place->second;
}

uint32_t RegionBounds::escapes(const Access& access) {
  uint32_t escapes = 0;
  const Field& field = field_of(access);
  for (int d = 0; d < field.box.rank(); ++d) {
    const Boundary& rules = field.boundary[d];
    const auto i = static_cast<size_t>(d);
    if (field.dimension(i) == kPoints) continue;
    const bool steps = field.dimension(i) == kTime;
    for (const Side side : {Side::Low, Side::High}) {
      const bool low = side == Side::Low;
      if (rules.side(low).kind == BoundaryKind::None) continue;
      // A run begins at step 0 and may have any number of steps.
      const Affine first = Affine{access.offset(i), {}} - field.box.ranges[i].low;
      const Verdict inside = !steps ? verdict(access, {d, side})
                             : low  ? decide(facts_, first)
                                    : Verdict::Unknown;
      if (inside != Verdict::Holds) escapes |= 1u << (2 * d + (low ? 0 : 1));
    }
  }
  return escapes;
}

bool RegionBounds::may_reach_edge(const Access& access, size_t d, bool low) {
  const End end = {static_cast<int>(d), low ? Side::Low : Side::High, Of::Index, 1};
  return verdict(access, end) != Verdict::Holds;
}

bool RegionBounds::always_on_edge(const Access& access, size_t d, bool low) const {
  const Range& domain = field_of(access).box.ranges[d];
  const Range& region = region_in(access, d);
  const Affine& edge = low ? domain.low : domain.high;
  const int offset = access.offset(d);
  return region.low + offset == edge && region.high + offset == edge;
}

std::vector<Excess> RegionBounds::excess(FieldId field) {
  const auto [place, fresh] = excess_.try_emplace(field);
  if (!fresh) return place->second;
  const auto bound = [this](const Affine& beyond) -> std::optional<int64_t> {
    for (int64_t most = 0; most <= kMostExcess; ++most) {
      if (implies_nonnegative(facts_of_place_, Affine{most, {}} - beyond)) return most;
    }
    return std::nullopt;
  };
  const Box& domain = program_.fields[field].box;
  const Box& grid = program_.domains[program_.fields[field].domain].box;
  for (size_t d = 0; d < region_.ranges.size(); ++d) {
    if (domain.ranges[d] == grid.ranges[d]) {
      place->second.push_back({0, 0});
      continue;
    }
    place->second.push_back({bound(domain.ranges[d].low - region_.ranges[d].low),
                             bound(region_.ranges[d].high - domain.ranges[d].high)});
  }
  return place->second;
}

}  // namespace stencil::ir
