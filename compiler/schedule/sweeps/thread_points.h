// Positions of a sweep's threads in their tile, and the operands they load.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/sweeps/tile.h"

namespace stencil::schedule {

// A point of a thread: its definitions, its grid coordinates (the plane's in the swept dimension),
// its place in the tile, and its number among the thread's points.
struct ThreadPoint {
  kernel::Body lets;
  Point at;
  std::vector<kernel::Expr> place;
  kernel::Expr element;
};

class ThreadPoints {
 public:
  // `origin`: first point that the block's tile writes. `copies`: buffers of the tile's copies.
  ThreadPoints(const SweepTile& tile, Point origin, std::vector<kernel::BufferId> copies,
               KernelBuilder& builder);

  // Type of an array's values in computations.
  Scalar type_of(const ir::Access& access) const;
  std::string name_of(const ir::Access& access) const;
  // A per-thread array of `count` values.
  kernel::BufferId kept(const std::string& name, Scalar type, int64_t count,
                        const std::string& comment) const;
  // The thread's number in a dimension.
  kernel::Expr thread(int d) const;
  // `plane`: the current plane of points, if planes are swept.
  ThreadPoint point(const kernel::Expr& plane) const;
  // Loops over the thread's elements. Opens a scope, because several sections define the same
  // names.
  kernel::Body for_each_element(kernel::Body body) const;
  // Condition: the thread writes the point.
  kernel::Expr is_written(const ThreadPoint& point) const;
  // Condition: no access of any piece leaves its field, or copies have the values of the rules.
  kernel::Expr meets_no_rule(const Point& at) const;
  // The value in memory at a place, or an unused zero if the place does not exist. `within`: bounds
  // known for the place.
  kernel::Expr loaded(const ir::Access& access, const Point& place, const ir::Box* within) const;
  // An operand of a point, loaded by the point's own thread. `writes`: the point is known to lie in
  // the sweep's domain or at most `before` planes ahead of it.
  kernel::Expr loaded_beside(const ir::Access& read, const Point& at, bool writes,
                             int before) const;

  const SweepTile& tile() const { return tile_; }
  const Point& origin() const { return origin_; }
  KernelBuilder& builder() const { return builder_; }
  // Variables: of the sweep over planes, and of loops over elements by dimension ("": no loop).
  const std::string& plane() const { return axes_[0]; }
  const std::vector<std::string>& loops() const { return loops_; }

 private:
  const SweepTile& tile_;
  const Schedule& schedule_;
  const int rank_;
  const Point origin_;
  const std::vector<kernel::BufferId> copies_;
  KernelBuilder& builder_;
  const Interface& interface_;
  const ir::Program& program_;
  std::vector<std::string> loops_, axes_;
};

}  // namespace stencil::schedule
