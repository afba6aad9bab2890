// A grid cut into tiles, one per block, and time into tiles of some steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/schedule/parts/interface.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

// A box cut into equal tiles, one per thread block; tiles are numbered with x running fastest.
struct Tiling {
  kernel::Expr blocks;  // I64: number of tiles
  kernel::Body lets;    // defines the origin of this block's tile, from `block`
  Point origin;         // grid coordinates of the tile's first point
};
struct TileLength {
  int64_t points;
  kernel::Expr expr;  // the same as I32: a literal or a named constant
};
// `lengths`: per dimension, outermost first.
Tiling tile_box(const Interface& interface, const ir::Box& box,
                const std::vector<TileLength>& lengths, Names& names);

// Steps of the tiles that a schedule's kernels serve: T, T/2, ... 1, so that any number of steps is
// done with at most two launches of each of the shorter ones.
std::vector<int> tile_sizes(int time_tile);

// A kernel that serves tiles of one number of steps, to be added to the module.
struct KernelOfSteps {
  const Interface& interface;
  std::string name;
  int steps;
  bool or_fewer;  // it serves tiles of fewer steps as well
  kernel::Module& module;
};
// The module of a schedule, with one kernel for tiles of any size or one for each of tile_sizes(),
// named after the program and `what`; `add` makes one of them, with its launch.
kernel::Module lower_tile_sizes(const ir::Program& program, const Schedule& schedule,
                                const std::string& what, bool one_kernel,
                                const std::function<void(const KernelOfSteps&)>& add);

// How many tiles of a length, laid side by side, cover dimension d of the grid but for `spared` of
// its points; at least one if it has points at all. I32.
kernel::Expr tiles_along(const Interface& interface, int d, const TileLength& length,
                         int64_t spared);

// Threads and elements of a schedule, given x first, for dimension d of a grid of `rank` (outermost
// first).
int along(const Shape& shape, int rank, int dimension);

// The variables through which a kernel knows its place in time (I32).
inline kernel::Expr first_step() {
  return kernel::variable("first_step");
}  // of this tile
inline kernel::Expr step_count() {
  return kernel::variable("steps");
}  // to do in this tile

}  // namespace stencil::schedule
