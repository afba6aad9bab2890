// Operands of a sweep's block: in shared memory, in other threads' registers, or prefetched into
// registers. Also the values that each thread keeps of its column.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "compiler/schedule/sweeps/thread_points.h"

namespace stencil::schedule {

// Kept instances of values in registers, per point.
class ColumnQueues {
 public:
  explicit ColumnQueues(const ThreadPoints& points);

  // The instance of a value from `age` planes ago, age >= 1.
  kernel::Expr instance(size_t value, int age, const kernel::Expr& element) const;
  // Moves all instances on by one plane. `newest`: by value; null if not computed yet.
  kernel::Body move_on(const ThreadPoint& point, const std::vector<kernel::Expr>& newest) const;

 private:
  static kernel::Expr instance_index(const ColumnValue& value, int age,
                                     const kernel::Expr& element);

  const ThreadPoints& points_;
  const SweepTile& tile_;
  std::vector<kernel::BufferId> values_;  // by value; -1: not kept
};

// Operands shared by a block, and the loads for them.
class SharedOperands {
 public:
  // A plane to prefetch, `before` planes ahead of the first plane of points. `exists`: condition.
  struct Next {
    kernel::Expr plane;
    int before = 0;
    kernel::Expr exists;
  };

  // Prefetched values by read, fetched before they are overwritten.
  using Taken = std::vector<std::pair<ir::Access, kernel::Expr>>;

  SharedOperands(const ThreadPoints& points, const ColumnQueues& queues);

  // Fills the windows that are needed, and exchanges operands along rows of threads.
  kernel::Body share(const kernel::Expr& plane, int before) const;
  // Prefetches the operands that the block will share.
  kernel::Body load_shared(const Next& next) const;
  // Prefetches the operands that the thread itself will read, at a point.
  kernel::Body load_own(const Next& next, const ThreadPoint& point) const;
  // Both prefetches for the first plane, before the loop.
  kernel::Body load_first(const Next& first) const;
  // The values that were prefetched for this plane.
  Taken take(const ThreadPoint& point, int before, Names& names, kernel::Body& body) const;
  // The value of a read at a point. `writes`, `before`: see ThreadPoints::loaded_beside.
  kernel::Expr operand(const ir::Access& read, const ThreadPoint& point, bool writes, int before,
                       const Taken& taken) const;

 private:
  // An element of a window: grid coordinates, index, and number among the elements that the thread
  // loads.
  struct Cell {
    Point at;
    std::vector<kernel::Expr> index;
    kernel::Expr item;
    bool own = false;  // one of the thread's own points
  };
  using AtCell = std::function<kernel::Body(const Cell&)>;

  int64_t cells(const TileWindow& window) const;
  // Visits all elements of a window that the thread loads. `plane`: the plane of points.
  kernel::Body for_each_cell(const TileWindow& window, const kernel::Expr& plane,
                             const AtCell& make) const;
  kernel::Expr plane_of(const TileWindow& window, const kernel::Expr& plane) const;
  kernel::Body for_each_point_and_part(const TileWindow& window, const kernel::Expr& plane,
                                       const AtCell& make) const;
  kernel::Body for_each_numbered_cell(const TileWindow& window, const kernel::Expr& plane,
                                      const AtCell& make) const;
  bool is_kept(const TileWindow& window, const Cell& cell) const;
  bool needs(const TileRow& row, const std::vector<ir::Access>& reads) const;
  kernel::Body shuffles(const std::vector<ir::Access>& needed) const;

  const ThreadPoints& points_;
  const ColumnQueues& queues_;
  const SweepTile& tile_;
  const Schedule& schedule_;
  const int rank_;
  const ir::Program& program_;
  std::string cell_, lane_;                                     // loop variables
  std::vector<kernel::BufferId> windows_, window_ahead_;        // by window; -1: none
  std::vector<kernel::BufferId> centres_, centre_ahead_;        // by row
  std::vector<std::map<int, kernel::BufferId>> beside_;         // by row, then by offset
  std::vector<std::pair<ir::Access, kernel::BufferId>> ahead_;  // by read
};

}  // namespace stencil::schedule
