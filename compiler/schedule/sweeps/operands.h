// What threads of a sweep's block find in shared memory, in registers of others, or in registers
// that were loaded a plane ahead; and the planes that each keeps of its column.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "compiler/schedule/sweeps/slots.h"

namespace stencil::schedule {

// Instances of values, per slot, in registers.
class ColumnQueues {
 public:
  explicit ColumnQueues(const TileSlots& slots);

  // Of a value `age` planes ago, from 1.
  kernel::Expr instance(size_t value, int age, const kernel::Expr& element) const;
  // Moves all on by a plane; `newest`: by value, null where there is none yet.
  kernel::Body move_on(const Slot& slot, const std::vector<kernel::Expr>& newest) const;

 private:
  static kernel::Expr instance_index(const ColumnValue& value, int age,
                                     const kernel::Expr& element);

  const TileSlots& slots_;
  const SweepTile& tile_;
  std::vector<kernel::BufferId> values_;  // by value; -1: not kept
};

// What a block shares, and what is loaded for it.
class SharedOperands {
 public:
  // A plane of which something is loaded ahead of its turn, `before` planes ahead of the first one
  // of points, if there is such a plane.
  struct Next {
    kernel::Expr plane;
    int before = 0;
    kernel::Expr exists;
  };

  // What was loaded ahead, by read, taken before it is overwritten.
  using Taken = std::vector<std::pair<ir::Access, kernel::Expr>>;

  SharedOperands(const TileSlots& slots, const ColumnQueues& queues);

  // Fills the windows that are needed, and hands operands along rows.
  kernel::Body share(const kernel::Expr& plane, int before) const;
  // Loads what the block will share of it.
  kernel::Body load_shared(const Next& next) const;
  // And what each thread will read itself, at a slot.
  kernel::Body load_own(const Next& next, const Slot& slot) const;
  // Both, ahead of all planes.
  kernel::Body load_first(const Next& first) const;
  // What was loaded ahead for this plane.
  Taken take(const Slot& slot, int before, Names& names, kernel::Body& body) const;
  // The operand of a slot. `writes`, `before`: TileSlots::loaded_beside.
  kernel::Expr operand(const ir::Access& read, const Slot& slot, bool writes, int before,
                       const Taken& taken) const;

 private:
  // Of a window: grid coordinates, index, number among those that the thread loads.
  struct Cell {
    Point at;
    std::vector<kernel::Expr> index;
    kernel::Expr item;
    bool own = false;  // a point of the thread
  };
  using AtCell = std::function<kernel::Body(const Cell&)>;

  int64_t cells(const TileWindow& window) const;
  // All places of a window that the thread loads, `at` the plane of points.
  kernel::Body for_each_cell(const TileWindow& window, const kernel::Expr& plane,
                             const AtCell& make) const;
  kernel::Expr plane_of(const TileWindow& window, const kernel::Expr& plane) const;
  kernel::Body for_each_slot_and_part(const TileWindow& window, const kernel::Expr& plane,
                                      const AtCell& make) const;
  kernel::Body for_each_numbered_cell(const TileWindow& window, const kernel::Expr& plane,
                                      const AtCell& make) const;
  bool is_kept(const TileWindow& window, const Cell& cell) const;
  bool needs(const TileRow& row, const std::vector<ir::Access>& reads) const;
  kernel::Body shuffles(const std::vector<ir::Access>& needed) const;

  const TileSlots& slots_;
  const ColumnQueues& queues_;
  const SweepTile& tile_;
  const Schedule& schedule_;
  const int rank_;
  const ir::Program& program_;
  std::string cell_, lane_;                                     // variables of loops
  std::vector<kernel::BufferId> windows_, window_ahead_;        // by window; -1: none
  std::vector<kernel::BufferId> centres_, centre_ahead_;        // by row
  std::vector<std::map<int, kernel::BufferId>> beside_;         // by row, by offset
  std::vector<std::pair<ir::Access, kernel::BufferId>> ahead_;  // reads
};

}  // namespace stencil::schedule
