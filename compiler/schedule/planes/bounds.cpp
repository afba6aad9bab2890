#include "compiler/schedule/planes/bounds.h"

#include <algorithm>

#include "compiler/ir/edges.h"
#include "compiler/ir/rewrite.h"
#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

namespace {

using kernel::Expr;

// Visits all accesses except in-place ones, whose boundary rules also apply inside.
template <class Visit>
void for_each_access(const ir::Piece& piece, const Visit& visit) {
  const auto needed = ir::reachable(piece.graph, piece.results);
  for (ir::NodeId id = 0; id < piece.graph.size(); ++id) {
    const auto* access = std::get_if<ir::Access>(&piece.graph[id].kind);
    if (access && !access->in_place && needed[id]) visit(*access);
  }
}

}  // namespace

Bounds bounds_of(const Interface& interface, const ir::Box& region, const ir::Box& box) {
  Bounds out(region.ranges.size());
  for (size_t d = 0; d < out.size(); ++d) {
    const int dimension = static_cast<int>(d);
    const ir::Range& inner = region.ranges[d];
    if (!(inner.low == box.ranges[d].low)) out[d].low = interface.low(region, dimension);
    if (!(inner.high == box.ranges[d].high)) out[d].high = interface.high(region, dimension);
  }
  return out;
}

Bounds bounds_without_rules(const Interface& interface, const ir::Piece& piece,
                            const std::vector<bool>& images, const analysis::Margin& computed) {
  const ir::Program& program = interface.program();
  const std::vector<ir::EdgeCondition> edges = ir::edge_conditions(program, piece.graph);
  Bounds out(images.size());
  for (size_t d = 0; d < out.size(); ++d) {
    const int dimension = static_cast<int>(d);
    int64_t below = 0, above = 0;  // distances from the grid's edges
    for_each_access(piece, [&](const ir::Access& access) {
      const ir::Box& box = program.fields[access.field].box;
      const int64_t offset = access.offset(d);
      const bool whole = box.ranges[d] == program.grid().ranges[d];
      if (access.escapes_below(d) && whole) below = std::max(below, -offset);
      if (access.escapes_above(d) && whole) above = std::max(above, offset);
      if (access.escapes_below(d) && !whole) {
        out[d].tighten_low(plus(interface.low(box, dimension), -offset));
      }
      if (access.escapes_above(d) && !whole) {
        out[d].tighten_high(plus(interface.high(box, dimension), -offset));
      }
    });
    for (const ir::EdgeCondition& edge : edges) {
      if (edge.dimension != dimension) continue;
      int64_t& points = edge.low ? below : above;
      points = std::max(points, edge.within);
    }
    const analysis::Reach beyond = images[d] ? computed[d] : analysis::Reach{};
    if (below > 0 || beyond.low > 0)
      out[d].tighten_low(plus(interface.low(program.grid(), dimension), below));
    if (above > 0 || beyond.high > 0) {
      out[d].tighten_high(plus(interface.high(program.grid(), dimension), -above));
    }
  }
  return out;
}

Expr within(const Interval& bounds, const Expr& at) {
  std::vector<Expr> conditions;
  bounds.append_to(conditions, at, at);
  return kernel::all_of(std::move(conditions));
}

PlaneBox cut(const PlaneBox& box, const Bounds& bounds, const Expr& has_plane, const LetEnd& let) {
  PlaneBox out = box;
  for (int d = 1; d < static_cast<int>(bounds.size()); ++d) {
    Expr begin = box.begin[d];
    if (bounds[d].low) begin = smaller(larger(bounds[d].low, begin), box.end[d]);
    if (d == 1) begin = kernel::operation(Op::Select, {has_plane, begin, box.end[d]});
    if (begin != box.begin[d]) out.begin[d] = let(d, false, begin);
    if (!bounds[d].high) continue;
    const Expr end = smaller(plus(bounds[d].high, 1), box.end[d]);
    out.end[d] = let(d, true, larger(end, out.begin[d]));
  }
  return out;
}

std::vector<PlaneBox> sides(const PlaneBox& box, const PlaneBox& part) {
  std::vector<PlaneBox> out;
  PlaneBox rest = box;
  for (size_t d = 1; d < box.begin.size(); ++d) {
    PlaneBox side = rest;
    side.end[d] = part.begin[d];
    if (part.begin[d] != box.begin[d]) out.push_back(side);
    side.begin[d] = part.end[d];
    side.end[d] = box.end[d];
    if (part.end[d] != box.end[d]) out.push_back(side);
    rest.begin[d] = part.begin[d];
    rest.end[d] = part.end[d];
  }
  return out;
}

Expr of_side(const Expr& side, const std::vector<Expr>& values) {
  Expr out = values.back();
  for (size_t i = values.size() - 1; i-- > 0;) {
    if (values[i] == values[i + 1]) continue;
    const Expr earlier = i == 0 ? kernel::operation(Op::Eq, {side, literal(0)})
                                : kernel::less(side, literal(static_cast<int64_t>(i) + 1));
    out = kernel::operation(Op::Select, {earlier, values[i], out});
  }
  return out;
}

}  // namespace stencil::schedule
