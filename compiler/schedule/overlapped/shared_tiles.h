// What a block of the `overlapped` family keeps in shared memory: a tile per component of every
// written field, for each time level, with the halo that steps need.
//
// The tiles of a field with history are a ring of time levels, and what moves from step to step is
// the slot that each level has. A step writes its new level over the oldest one, so it waits for
// nobody unless that level is read at offsets.
#pragma once

#include <map>
#include <vector>

#include "compiler/schedule/overlapped/points.h"

namespace stencil::schedule {

class SharedTiles {
 public:
  // Declares the tiles.
  SharedTiles(const OverlappedTile& tile, const OverlappedPoints& points, KernelBuilder& builder,
              kernel::Module& module);

  bool hold(ir::FieldId field) const { return tiles_.count(field) > 0; }
  int levels(ir::FieldId field) const { return tile_.levels.at(field); }
  // The slot of a level: so many steps after step 0, when level @-k is in slot (levels - k) modulo
  // levels, all have moved on by as many.
  Expr slot_after(const Expr& steps, ir::FieldId field, int level) const;

  // A component of a slot at the point, as it is stored.
  Expr value(ir::FieldId field, int component, const Expr& slot) const;
  // What an access finds in a slot, the constants of boundary rules apart.
  Expr read(const ir::Access& access, const Landing& landing, const Expr& slot) const;
  kernel::Statement store(ir::FieldId field, int component, const Expr& slot, Expr value) const;

  // Loads every tile with its halo, as far as it lies in the field, and the older levels that are
  // read; as many steps are skipped.
  Body load(const Expr& skipped) const;
  // Writes the output box of every written field, as far as it lies in the field, of all levels
  // that were made in the steps `done`. Levels have moved on by `moved` steps.
  Body write_core(const Expr& done, const Expr& moved) const;

 private:
  // Where a point of the computed hull lies in the field's tile, `offset` away.
  Expr coordinate(ir::FieldId field, int d, int64_t offset) const;
  std::vector<Expr> at_point(ir::FieldId field) const;
  std::vector<Expr> in_slot(const Expr& slot, ir::FieldId field, std::vector<Expr> index) const;
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
