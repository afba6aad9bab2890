// Shared memory of an `overlapped` block: for each component of each written field, one tile per
// time level, including the halo.
//
// The tiles of a field with history form a ring of time levels. Levels change ring indices from
// step to step; no data moves. A step overwrites the oldest level, so it needs a barrier only if
// that level is read at offsets.
#pragma once

#include <map>
#include <vector>

#include "compiler/schedule/overlapped/points.h"

namespace stencil::schedule {

class SharedTiles {
 public:
  // Declares the tiles as shared buffers.
  SharedTiles(const OverlappedTile& tile, const OverlappedPoints& points, KernelBuilder& builder,
              kernel::Module& module);

  bool hold(ir::FieldId field) const { return tiles_.count(field) > 0; }
  int levels(ir::FieldId field) const { return tile_.levels.at(field); }
  // The ring index of `level`, `steps` steps after step 0. At step 0 level @-k is at ring index
  // (levels - k) modulo levels; each step moves all levels on by one.
  Expr ring_index_after(const Expr& steps, ir::FieldId field, int level) const;

  // A component's value at the current point, in storage precision.
  Expr value(ir::FieldId field, int component, const Expr& ring_index) const;
  // The value that an access reads at a ring index; the caller applies constant boundary values.
  Expr read(const ir::Access& access, const ResolvedAccess& resolved, const Expr& ring_index) const;
  kernel::Statement store(ir::FieldId field, int component, const Expr& ring_index,
                          Expr value) const;

  // Loads all tiles with their halos, clipped to the field, including the older levels that are
  // read. `skipped`: number of steps of the time tile that are skipped.
  Body load(const Expr& skipped) const;
  // Writes the output box of every written field, clipped to the field, for all levels made in
  // `done` steps. `moved`: number of steps by which the levels have moved.
  Body write_core(const Expr& done, const Expr& moved) const;

 private:
  // Index into the field's tile of the current point of the computed hull plus `offset`.
  Expr coordinate(ir::FieldId field, int d, int64_t offset) const;
  std::vector<Expr> at_point(ir::FieldId field) const;
  std::vector<Expr> at_ring_index(const Expr& ring_index, ir::FieldId field,
                                  std::vector<Expr> index) const;
  Body load_group(const std::vector<ir::FieldId>& group, const Expr& skipped) const;
  Body write_level(ir::FieldId field, const Expr& from, int to) const;
  const ir::Field& field_of(ir::FieldId field) const { return tile_.program().fields[field]; }

  const OverlappedTile& tile_;
  const OverlappedPoints& points_;
  KernelBuilder& builder_;
  const int rank_;
  std::map<ir::FieldId, std::vector<Expr>> extents_;
  std::map<ir::FieldId, std::vector<kernel::BufferId>> tiles_;  // per component
};

}  // namespace stencil::schedule
