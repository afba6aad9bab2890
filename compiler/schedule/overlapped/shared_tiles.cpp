#include "compiler/schedule/overlapped/shared_tiles.h"

#include <fmt/format.h>

#include "compiler/schedule/common/levels.h"

namespace stencil::schedule {

SharedTiles::SharedTiles(const OverlappedTile& tile, const OverlappedPoints& points,
                         KernelBuilder& builder, kernel::Module& module)
    : tile_(tile), points_(points), builder_(builder), rank_(builder.interface().rank()) {
  for (const auto& [field, margin] : tile.held) {
    const ir::Field& declared = field_of(field);
    std::vector<Expr> extents;
    for (int d = 0; d < rank_; ++d) {
      extents.push_back(
          builder.constant(module, fmt::format("{}_tile_{}", declared.name, points.axis(d)),
                           tile.sides[d].core() + margin[d].low + margin[d].high,
                           fmt::format("core_{} and a halo of {} + {}", points.axis(d),
                                       margin[d].low, margin[d].high)));
    }
    extents_[field] = extents;
    if (levels(field) > 1) extents.insert(extents.begin(), literal(levels(field)));
    for (size_t c = 0; c < declared.components.size(); ++c) {
      const std::string name = builder.interface().array_name(field, static_cast<int>(c));
      tiles_[field].push_back(builder.local(kernel::Space::Shared, name + "_tile",
                                            declared.components[c].type, extents, ""));
    }
  }
}

Expr SharedTiles::ring_index_after(const Expr& steps, ir::FieldId field, int level) const {
  const int count = levels(field);
  return modulo(plus(steps, (count - level) % count), literal(count));
}

Expr SharedTiles::coordinate(ir::FieldId field, int d, int64_t offset) const {
  const analysis::Reach hull = tile_.time_tile().hull[d];
  return plus(points_.local(d), tile_.held.at(field)[d].low - hull.low + offset);
}

std::vector<Expr> SharedTiles::at_point(ir::FieldId field) const {
  std::vector<Expr> index;
  for (int d = 0; d < rank_; ++d) index.push_back(coordinate(field, d, 0));
  return index;
}

std::vector<Expr> SharedTiles::at_ring_index(const Expr& ring_index, ir::FieldId field,
                                             std::vector<Expr> index) const {
  if (levels(field) > 1) index.insert(index.begin(), ring_index);
  return index;
}

Expr SharedTiles::value(ir::FieldId field, int component, const Expr& ring_index) const {
  const Scalar type = field_of(field).components[component].type;
  const Expr loaded =
      kernel::load(tiles_.at(field)[component], at_ring_index(ring_index, field, at_point(field)),
                   arithmetic_type(type));
  return kernel::convert(loaded, type);
}

kernel::Statement SharedTiles::store(ir::FieldId field, int component, const Expr& ring_index,
                                     Expr value) const {
  return {kernel::Store{tiles_.at(field)[component],
                        at_ring_index(ring_index, field, at_point(field)), std::move(value)}};
}

Expr SharedTiles::read(const ir::Access& access, const ResolvedAccess& resolved,
                       const Expr& ring_index) const {
  const ir::Field& field = field_of(access.field);
  std::vector<Expr> index;
  for (int d = 0; d < rank_; ++d) {
    const bool moved = ir::meets(field, access, d, ir::BoundaryKind::Clamp) ||
                       ir::meets(field, access, d, ir::BoundaryKind::Mirror);
    const Expr& place = resolved.point[d];
    if (!moved) {  // a constant boundary value replaces whatever the tile holds
      index.push_back(coordinate(access.field, d, access.offset(d)));
    } else if (tile_.images[d]) {  // same displacement from this image as from the point itself
      index.push_back(
          kernel::add(coordinate(access.field, d, 0), kernel::sub(place, points_.point()[d])));
    } else {  // from the grid coordinate that the boundary rule computed
      index.push_back(kernel::sub(place, points_.first(d, tile_.held.at(access.field)[d].low)));
    }
  }
  return kernel::load(tiles_.at(access.field)[access.component],
                      at_ring_index(ring_index, access.field, std::move(index)),
                      arithmetic_type(field.components[access.component].type));
}

// Fields whose tiles have the same shape share their loops.
Body SharedTiles::load(const Expr& skipped) const {
  Body out;
  std::vector<ir::FieldId> left;
  for (const auto& [field, margin] : tile_.held) left.push_back(field);
  while (!left.empty()) {
    std::vector<ir::FieldId> group, rest;
    for (ir::FieldId field : left) {
      const bool same = tile_.held.at(field) == tile_.held.at(left[0]) &&
                        field_of(field).box == field_of(left[0]).box;
      (same ? group : rest).push_back(field);
    }
    out.push_back(threads(load_group(group, skipped)));
    left = std::move(rest);
  }
  return out;
}

Body SharedTiles::load_group(const std::vector<ir::FieldId>& group, const Expr& skipped) const {
  std::vector<Expr> place;
  for (int d = 0; d < rank_; ++d) place.push_back(points_.local(d));
  Body loads;
  for (ir::FieldId field : group) {
    const ir::Field& declared = field_of(field);
    for (size_t c = 0; c < declared.components.size(); ++c) {
      for (int level = 0; level < analysis::levels_loaded(tile_.time_tile(), field); ++level) {
        const ir::Access here{field, static_cast<int>(c), level, std::vector<ir::IndexMap>(rank_),
                              0};
        const Expr value = builder_.load_global(here, points_.point());
        const Expr ring_index = ring_index_after(skipped, field, level);
        loads.push_back({kernel::Store{tiles_.at(field)[c], at_ring_index(ring_index, field, place),
                                       kernel::convert(value, declared.components[c].type)}});
      }
    }
  }
  return points_.per_place(tile_.held.at(group[0]), extents_.at(group[0]),
                           guarded(points_.exists(field_of(group[0]).box), std::move(loads)));
}

// Levels are numbered from the oldest level made, which always goes to the same slot in global
// memory. A tile of fewer steps may have made fewer levels.
Body SharedTiles::write_core(const Expr& done, const Expr& moved) const {
  const int time_tile = tile_.schedule.time_tile;
  Body stores;
  for (const auto& [field, margin] : tile_.held) {
    const ir::Field& declared = field_of(field);
    const int most = analysis::levels_made(declared, time_tile);
    Expr made = done;
    if (declared.history < time_tile) made = smaller(made, literal(declared.history));
    Body body;
    for (int n = 1; n <= most; ++n) {
      const Expr steps = plus(kernel::sub(moved, made), n);
      Body level = write_level(field, ring_index_after(steps, field, 0),
                               result_slot(declared, time_tile, n, 0));
      const Expr exists = n == 1 ? kernel::boolean(true) : at_least(done, literal(n));
      append(body, guarded(exists, std::move(level)));
    }
    const Expr inside = builder_.interface().inside(points_.point(), declared.box);
    stores.push_back({kernel::If{inside, std::move(body), {}}});
  }
  Body inner = guarded(points_.computes(Margin(rank_)), std::move(stores));
  return as_body(threads(points_.per_element(std::move(inner), false)));
}

// Copies one level of a field at the current point from its ring index in the tile to its slot in
// memory.
Body SharedTiles::write_level(ir::FieldId field, const Expr& from, int to) const {
  Body body;
  for (size_t i = 0; i < field_of(field).components.size(); ++i) {
    const int c = static_cast<int>(i);
    builder_.store_global(field, c, to, points_.point(), value(field, c, from), body);
  }
  return body;
}

}  // namespace stencil::schedule
