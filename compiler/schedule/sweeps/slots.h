// Where the threads of a sweep's block are, and what they load there.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/sweeps/tile.h"

namespace stencil::schedule {

// A thread's slot in a section: what defines it, its coordinates (in the swept dimension those of
// the plane), its place in the tile, and its number among the thread's.
struct Slot {
  kernel::Body lets;
  Point at;
  std::vector<kernel::Expr> place;
  kernel::Expr element;
};

class TileSlots {
 public:
  // `origin`: of the block's tile, its first point that is written.
  TileSlots(const SweepTile& tile, Point origin, KernelBuilder& builder);

  // Of an array, as kernels compute with it.
  Scalar type_of(const ir::Access& access) const;
  std::string name_of(const ir::Access& access) const;
  // So many values that a thread keeps.
  kernel::BufferId kept(const std::string& name, Scalar type, int64_t count,
                        const std::string& comment) const;
  // Its number in a dimension.
  kernel::Expr thread(int d) const;
  // `plane`: of points, if planes are swept.
  Slot slot(const kernel::Expr& plane) const;
  // In a scope of its own: sections have several, which define the same coordinates.
  kernel::Body for_each_element(kernel::Body body) const;
  // The slot is a point that the thread writes.
  kernel::Expr is_written(const Slot& slot) const;
  // Whether the accesses of all pieces stay in their fields.
  kernel::Expr meets_no_rule(const Point& at) const;
  // What memory has at the place, if that exists; else a zero, which nobody uses. `within`: where
  // the place is known to lie.
  kernel::Expr loaded(const ir::Access& access, const Point& place, const ir::Box* within) const;
  // An operand of a slot, loaded by its thread. `writes`: the slot is known to be a point that is
  // written, of a plane from `before` ahead of the first one.
  kernel::Expr loaded_beside(const ir::Access& read, const Point& at, bool writes,
                             int before) const;

  const SweepTile& tile() const { return tile_; }
  const Point& origin() const { return origin_; }
  KernelBuilder& builder() const { return builder_; }
  // The variable of planes, if they are swept; of loops over elements, by dimension; no loop: "".
  const std::string& plane() const { return axes_[0]; }
  const std::vector<std::string>& loops() const { return loops_; }

 private:
  const SweepTile& tile_;
  const Schedule& schedule_;
  const int rank_;
  const Point origin_;
  KernelBuilder& builder_;
  const Interface& interface_;
  const ir::Program& program_;
  std::vector<std::string> loops_, axes_;
};

}  // namespace stencil::schedule
