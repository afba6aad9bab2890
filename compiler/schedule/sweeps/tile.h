// The tile of a sweep's block: which operands are shared, who loads them, and what each thread
// keeps.
//
//   swept        the outermost dimension passes plane by plane; the others are tiled
//   not swept    all dimensions are tiled; there is a single "plane"
//
// A thread has `elements` points, `block` places apart. With halo=cover the tile also has points
// for the halo.
#pragma once

#include <optional>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/sweep.h"
#include "compiler/schedule/sweeps/column.h"
#include "compiler/schedule/sweeps/haloed.h"

namespace stencil::schedule {

// The part of an array in shared memory: the tile and its halo, of one plane if swept.
struct TileWindow {
  ir::Access from;          // field, component and level; offsets are 0 except for the plane
  analysis::Margin margin;  // halo, by dimension; with halo=remap more may be loaded
  // If set, the window does not load the thread's own points: registers hold them, as the instance
  // of this value with age `age` (1: one plane before the newest).
  std::optional<int> value;
  int age = 0;
  // Parts of the halo: below (-1), beside (0) or above (1) the tile in each dimension.
  std::vector<std::vector<int>> parts;

  int plane() const { return from.offset(0); }  // if swept, relative to the point's plane
};

// An operand that threads of a row exchange by shuffles, and the x offsets at which it is read.
struct TileRow {
  ir::Access from;           // at offset 0 in x
  std::vector<int> offsets;  // in x, nonzero
};

struct SweepTile {
  const Sweep* sweep = nullptr;
  Schedule schedule;
  bool swept = false;
  int rank = 1;
  SweptColumn column;
  // Distinct reads of fields. A kept operand is listed at the plane of its first read.
  std::vector<ir::Access> reads;
  std::vector<TileWindow> windows;
  std::vector<TileRow> rows;
  std::vector<HaloedCopy> copies;  // with memory=haloed: of all arrays read beside points
  analysis::Margin cover;  // thread points beyond the tile's core that only load, by dimension
  // The box that is cut into tiles: the sweep's domain, possibly extended to lower x so that tiles
  // start at a sector (halo=remap).
  ir::Box tiled;

  // Nothing is shared or kept: all operands are loaded where they are used.
  bool is_plain() const { return !swept && reads_memory() && !haloed(); }
  // Like is_plain(), but planes may be swept.
  bool reads_memory() const {
    return windows.empty() && rows.empty() &&
           schedule.of<SweepsSettings>().column == Column::Cache && schedule.prefetch == 0;
  }
  bool haloed() const { return schedule.of<SweepsSettings>().memory == Memory::Haloed; }
  int first_tiled() const { return swept ? 1 : 0; }
  int64_t thread_points(int d) const;  // of the tile in dimension d; 1 in the swept dimension
  int64_t core(int d) const;  // thread points that are written; in the swept dimension, the planes
                              // of a chunk
  int64_t elements() const { return schedule.elements.product(); }
  // Size of a window in dimension d: the core and the halo on both sides.
  int64_t extent(const TileWindow& window, int d) const;
  int64_t below(const TileWindow& window, int d) const;  // low side of the halo
  // The window that holds a read's operand, or null. With operands=rows or tile, the window lacks
  // some places (leaves()).
  const TileWindow* window_of(const ir::Access& read) const;
  // The dimensions in which a read may lead out of the tile to places that no window holds.
  std::vector<int> leaves(const ir::Access& read) const;
  const TileRow* row_of(const ir::Access& read) const;
  // Whether threads load the operand themselves.
  bool is_loaded(const ir::Access& read) const { return !window_of(read) && !row_of(read); }
  // Reads that are needed in the plane `before` planes ahead of the first point. `before` is 0 for
  // planes of points.
  std::vector<ir::Access> reads_at(const ir::Program& program, int before) const;
  bool needs(const TileWindow& window, const std::vector<ir::Access>& reads) const;
  // Whether threads beyond the domain must keep values, too, because windows are filled from them.
  bool all_keep() const;

  int64_t shared_bytes(const ir::Program& program) const;
  int64_t kept_words() const;  // 32 bits each, per thread
  // Upper bound on the elements of a window that one thread loads.
  int64_t items(const TileWindow& window) const;
};

SweepTile plan_tile(const ir::Program& program, const Sweep& sweep, const Schedule& schedule);
std::vector<SweepTile> plan_tiles(const ir::Program& program, const std::vector<Sweep>& sweeps,
                                  const Schedule& schedule);

}  // namespace stencil::schedule
