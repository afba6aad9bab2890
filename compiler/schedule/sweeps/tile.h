// The tile of a block of a sweep: which of its operands are shared, who loads them, and what each
// thread keeps.
//
//   swept        the outermost dimension passes plane by plane; the others are tiled
//   not swept    all dimensions are tiled, and there is one "plane"
//
// A thread has `elements` slots, `block` places apart from each other; with halo=cover the tile has
// slots for the halo as well.
#pragma once

#include <optional>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/schedule/parts/limits.h"
#include "compiler/schedule/sweeps/column.h"
#include "compiler/schedule/sweeps/sweep.h"

namespace stencil::schedule {

// The points of one array in the tile and its halo, in shared memory; if swept, of one plane.
struct TileWindow {
  ir::Access from;          // the field, its component and level; offsets are 0 but for the plane
  analysis::Margin margin;  // of the tile, by dimension; what is loaded may be more (halo=remap)
  // The thread's own points need not be loaded again: they are an instance of this age (1: the
  // plane before the newest) of this value.
  std::optional<int> value;
  int age = 0;
  // The halo in parts: below (-1), beside (0) or above (1) the tile in each dimension.
  std::vector<std::vector<int>> parts;

  int plane() const { return from.offsets[0]; }  // if swept, relative to the point's
};

// What the threads of a row hand each other: the operand at x offset 0, and who takes it.
struct TileRow {
  ir::Access from;           // offset 0 in x
  std::vector<int> offsets;  // in x, not 0
};

struct SweepTile {
  const Sweep* sweep = nullptr;
  Schedule schedule;
  bool swept = false;
  int rank = 1;
  SweptColumn column;
  // What is read of fields, at the plane where it is read first (if kept), in no order.
  std::vector<ir::Access> reads;
  std::vector<TileWindow> windows;
  std::vector<TileRow> rows;
  analysis::Margin cover;  // slots beyond the tile's core that only load, by dimension
  // Cut into tiles: the sweep's domain, which may begin earlier in x so that tiles begin with a
  // sector (halo=remap).
  ir::Box tiled;

  // Nothing is shared or kept: all operands are loaded where they are used.
  bool is_plain() const { return !swept && reads_memory(); }
  // The same but for planes that pass.
  bool reads_memory() const {
    return windows.empty() && rows.empty() && schedule.column == Column::Cache &&
           schedule.prefetch == 0;
  }
  int first_tiled() const { return swept ? 1 : 0; }
  int64_t slots(int d) const;  // of the tile in dimension d; 1 in the swept one
  int64_t core(int d) const;   // of those, points that are written; of the swept one, its planes
  int64_t elements() const { return schedule.elements.product(); }
  // What a window holds in dimension d: the slots that are no cover, and its halo on both sides.
  int64_t extent(const TileWindow& window, int d) const;
  int64_t below(const TileWindow& window, int d) const;  // points of the halo on the low side
  // The window that a read finds its operand in, if its place is in there at all: with
  // operands=rows or tile some places are not (leaves()).
  const TileWindow* window_of(const ir::Access& read) const;
  // The dimensions in which a read leads out of the tile to what no window holds.
  std::vector<int> leaves(const ir::Access& read) const;
  const TileRow* row_of(const ir::Access& read) const;
  // Operands that the threads load themselves: all others.
  bool is_loaded(const ir::Access& read) const { return !window_of(read) && !row_of(read); }
  // Reads that are needed `before` planes ahead of the first point, 0: at points.
  std::vector<ir::Access> reads_at(const ir::Program& program, int before) const;
  bool needs(const TileWindow& window, const std::vector<ir::Access>& reads) const;
  // Threads beyond the domain keep values, too: others find them in a window.
  bool all_keep() const;

  int64_t shared_bytes(const ir::Program& program) const;
  int64_t kept_words() const;  // of 32 bits, per thread
  // Points of a window that a thread loads, those that other threads have alone among them.
  int64_t items(const TileWindow& window) const;
};

SweepTile plan_tile(const ir::Program& program, const Sweep& sweep, const Schedule& schedule);
std::vector<SweepTile> plan_tiles(const ir::Program& program, const std::vector<Sweep>& sweeps,
                                  const Schedule& schedule);

}  // namespace stencil::schedule
