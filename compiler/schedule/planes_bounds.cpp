#include "compiler/schedule/planes_bounds.h"

#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/statements.h"

namespace stencil::schedule {

namespace {

using kernel::Expr;

template <class Visit>
void for_each_access(const ir::Piece& piece, const Visit& visit) {
  const auto needed = ir::reachable(piece.graph, piece.results);
  for (ir::NodeId id = 0; id < piece.graph.size(); ++id) {
    const auto* access = std::get_if<ir::Access>(&piece.graph[id].kind);
    if (access && needed[static_cast<size_t>(id)]) visit(*access);
  }
}

void raise(Interval& bounds, const Expr& least) {
  bounds.low = bounds.low ? kernel::operation(Op::Max, {bounds.low, least}) : least;
}
void lower(Interval& bounds, const Expr& most) {
  bounds.high = bounds.high ? kernel::operation(Op::Min, {bounds.high, most}) : most;
}

void append_within(const Interval& bounds, const Expr& at, std::vector<Expr>& to) {
  if (bounds.low) to.push_back(kernel::operation(Op::Ge, {at, bounds.low}));
  if (bounds.high) to.push_back(kernel::less_equal(at, bounds.high));
}

std::vector<Expr> beside(const Interval& bounds, const Expr& at) {
  std::vector<Expr> out;
  if (bounds.low) out.push_back(kernel::less(at, bounds.low));
  if (bounds.high) out.push_back(kernel::operation(Op::Gt, {at, bounds.high}));
  return out;
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

Bounds bounds_without_rules(const Interface& interface, const PlanesStage& stage,
                            const ir::Piece& piece, const std::vector<bool>& images) {
  const ir::Program& program = interface.program();
  Bounds out(images.size());
  for (size_t d = 0; d < out.size(); ++d) {
    const int dimension = static_cast<int>(d);
    int64_t below = 0, above = 0;  // distances from the grid's edges
    for_each_access(piece, [&](const ir::Access& access) {
      const ir::Box& box = program.fields[static_cast<size_t>(access.field)].box;
      const int64_t offset = access.offsets[d];
      const bool whole = box.ranges[d] == program.grid.ranges[d];
      if (access.escapes_below(d) && whole) below = std::max(below, -offset);
      if (access.escapes_above(d) && whole) above = std::max(above, offset);
      if (access.escapes_below(d) && !whole) {
        raise(out[d], plus(interface.low(box, dimension), -offset));
      }
      if (access.escapes_above(d) && !whole) {
        lower(out[d], plus(interface.high(box, dimension), -offset));
      }
    });
    const analysis::Reach beyond = images[d] ? stage.computed[d] : analysis::Reach{};
    if (below > 0 || beyond.low > 0)
      raise(out[d], plus(interface.low(program.grid, dimension), below));
    if (above > 0 || beyond.high > 0) {
      lower(out[d], plus(interface.high(program.grid, dimension), -above));
    }
  }
  return out;
}

Expr within(const Bounds& bounds, const Point& at) {
  std::vector<Expr> conditions;
  for (size_t d = 0; d < bounds.size(); ++d) append_within(bounds[d], at[d], conditions);
  return kernel::all_of(std::move(conditions));
}

std::vector<Expr> around(const Bounds& bounds, const Point& at) {
  std::vector<Expr> out;
  std::vector<Expr> row;  // meets the box
  Expr missed = kernel::boolean(false);
  const size_t x = bounds.size() - 1;
  for (size_t d = 0; d < x; ++d) {
    append_within(bounds[d], at[d], row);
    for (const Expr& side : beside(bounds[d], at[d])) {
      missed = kernel::operation(Op::Or, {missed, side});
    }
  }
  if (!row.empty()) out.push_back(missed);
  for (const Expr& side : beside(bounds[x], at[x])) {
    out.push_back(kernel::all_of({kernel::all_of(row), side}));
  }
  // Where there is nothing between the bounds, some points are on both sides.
  if (bounds[x].low && bounds[x].high) {
    const Expr not_below = kernel::operation(Op::Ge, {at[x], bounds[x].low});
    out.back() = kernel::all_of({out.back(), not_below});
  }
  return out;
}

}  // namespace stencil::schedule
