#include "compiler/schedule/overlapped/points.h"

#include <fmt/format.h>

namespace stencil::schedule {

OverlappedPoints::OverlappedPoints(const OverlappedTile& tile, KernelBuilder& builder,
                                   kernel::Module& module)
    : tile_(tile),
      hull_(tile.time_tile().hull),
      interface_(builder.interface()),
      builder_(builder),
      rank_(interface_.rank()),
      axes_(axis_names(rank_)) {
  Names& names = builder.names();
  builder.set_block(module, tile.schedule.block, tile.schedule.elements);
  for (int d = 0; d < rank_; ++d) {
    const int64_t core = tile.sides[d].core();
    const Expr length = builder.constant(
        module, "core_" + axes_[d], core,
        fmt::format("output points of a tile in {}: {} threads x {} elements, less {} + {} "
                    "recomputed",
                    axes_[d], threads(d), elements(d), hull_[d].low, hull_[d].high));
    core_lengths_.push_back({core, length});
    coordinates_.push_back(names.unique(axes_[d]));
    places_.push_back(tile.images[d] ? names.unique("place_" + axes_[d]) : "");
    locals_.push_back(names.unique("local_" + axes_[d]));
    loop_names_.push_back(elements(d) > 1 ? names.unique("e" + axes_[d]) : "");
  }
}

Expr OverlappedPoints::cut(kernel::Module& module, Body& body) {
  Tiling tiling = tile_box(without_rim(tile_.program()), core_lengths_, builder_, module);
  origin_ = std::move(tiling.origin);
  append(body, std::move(tiling.lets));
  return tiling.blocks;
}

Point OverlappedPoints::point() const {
  Point out;
  for (const std::string& name : coordinates_) out.push_back(kernel::variable(name));
  return out;
}

Expr OverlappedPoints::computes(const Margin& computed) const {
  std::vector<Expr> conditions;
  for (int d = 0; d < rank_; ++d) {
    const analysis::Reach hull = hull_[d];
    if (computed[d].low < hull.low) {
      conditions.push_back(at_least(local(d), literal(hull.low - computed[d].low)));
    }
    if (computed[d].high < hull.high) {
      const int64_t end = tile_.sides[d].cover - (hull.high - computed[d].high);
      conditions.push_back(kernel::less(local(d), literal(end)));
    }
  }
  return kernel::all_of(std::move(conditions));
}

Expr OverlappedPoints::thread(int d) const {
  return threads(d) == 1 ? literal(0) : kernel::variable("thread_" + axes_[d]);
}

// Defines the grid coordinate for place `at` of a box with this margin: the coordinate of the place
// itself or, for a periodic image, of the original point.
Body OverlappedPoints::coordinate_lets(int d, const Expr& at, const analysis::Reach& margin) const {
  if (!tile_.images[d]) return as_body({kernel::Let{coordinates_[d], at}});
  Body out;
  out.push_back({kernel::Let{places_[d], at}});
  out.push_back({kernel::Let{
      coordinates_[d], wrap(interface_, tile_.program().grid(), d, kernel::variable(places_[d]),
                            margin.low, tile_.sides[d].core() - 1 + margin.high)}});
  return out;
}

Body OverlappedPoints::per_element(Body inner, bool images) const {
  Body body;
  for (int d = 0; d < rank_; ++d) {
    Expr at = thread(d);
    if (elements(d) > 1) {
      const Expr element = kernel::variable(loop_names_[d]);
      at = kernel::add(at, kernel::mul(element, builder_.threads(d)));
    }
    body.push_back({kernel::Let{locals_[d], at}});
    const Expr place = kernel::add(first(d, hull_[d].low), local(d));
    append(body, images ? coordinate_lets(d, place, hull_[d])
                        : as_body({kernel::Let{coordinates_[d], place}}));
  }
  append(body, std::move(inner));
  for (int d = rank_ - 1; d >= 0; --d) {
    if (elements(d) == 1) continue;
    body = as_body(loop(kernel::LoopKind::Unrolled, loop_names_[d], literal(0),
                        builder_.elements(d), 1, std::move(body)));
  }
  return body;
}

Body OverlappedPoints::per_place(const Margin& margin, const std::vector<Expr>& extents,
                                 Body inner) const {
  Body body;
  for (int d = 0; d < rank_; ++d) {
    append(body, coordinate_lets(d, kernel::add(first(d, margin[d].low), local(d)), margin[d]));
  }
  append(body, std::move(inner));
  for (int d = rank_ - 1; d >= 0; --d) {
    body = as_body(loop(kernel::LoopKind::Serial, locals_[d], thread(d), extents[d],
                        builder_.threads(d), std::move(body)));
  }
  return body;
}

GridBox OverlappedPoints::covered() const {
  GridBox out;
  for (int d = 0; d < rank_; ++d) {
    const Expr begin = first(d, hull_[d].low);
    const Expr last = plus(begin, int64_t{threads(d)} * elements(d) - 1);
    builder_.append_in_grid(d, begin, last, tile_.images[d], out);
  }
  return out;
}

std::vector<Expr> OverlappedPoints::element_extents() const {
  std::vector<Expr> out;
  for (int d = 0; d < rank_; ++d) {
    if (elements(d) > 1) out.push_back(builder_.elements(d));
  }
  return out;
}

std::vector<Expr> OverlappedPoints::element_index() const {
  std::vector<Expr> out;
  for (int d = 0; d < rank_; ++d) {
    if (elements(d) > 1) out.push_back(kernel::variable(loop_names_[d]));
  }
  return out;
}

}  // namespace stencil::schedule
