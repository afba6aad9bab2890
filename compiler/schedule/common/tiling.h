// Cuts a grid into tiles, one per block, and time into time tiles.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/schedule/common/interface.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

class KernelBuilder;

// A box cut into equal tiles, one per thread block. Tiles are numbered with x fastest.
struct Tiling {
  kernel::Expr blocks;  // I64: number of tiles
  kernel::Body lets;    // defines the origin of this block's tile, from `block`
  Point origin;         // grid coordinates of the tile's first point
};
struct TileLength {
  int64_t points;
  kernel::Expr expr;  // `points` as I32: a literal or a named constant
};

// Number of tiles that cover the box in dimension d (I64); a literal if known.
kernel::Expr tile_count(const Interface& interface, const ir::Box& box, int d,
                        const TileLength& length);

// Decomposes a block number into tile numbers per dimension, fastest dimension first.
class BlockNumber {
 public:
  // The tile number (I32) in a dimension with `count` tiles; `tiles`: the count as an I32
  // expression.
  kernel::Expr take(const kernel::Expr& count, const kernel::Expr& tiles);
  // The tile number in the last dimension, which needs no modulo.
  kernel::Expr take_rest(const kernel::Expr& count);
  // I64: product of all counts so far.
  const kernel::Expr& blocks() const { return blocks_; }

 private:
  kernel::Expr rest_ = kernel::convert(kernel::variable("block", Scalar::I64), Scalar::I32);
  kernel::Expr blocks_ = kernel::integer(1, Scalar::I64);
};

// `lengths`: per dimension, outermost first. Known numbers of tiles become constants of the module.
Tiling tile_box(const ir::Box& box, const std::vector<TileLength>& lengths, KernelBuilder& builder,
                kernel::Module& module);

// Tile sizes of the kernels that a schedule generates: T, T/2, ... 1. Any number of steps then
// needs at most two launches of each shorter kernel.
std::vector<int> tile_sizes(int time_tile);

// A kernel for time tiles of `steps` steps, to be added to the module.
struct KernelOfSteps {
  const Interface& interface;
  std::string name;
  int steps;
  bool or_fewer;  // also serves shorter tiles
  kernel::Module& module;

  // Name of a constant; kernels for fewer steps have their own constants.
  std::string constant_name(const std::string& wanted) const;
};
// Appends the actions of a schedule to the module: one kernel for tiles of any size, or one for
// each of tile_sizes(). Kernels are named after the program and `what`. `add` appends one kernel
// and its launch.
void lower_tile_sizes(const ir::Program& program, const Schedule& schedule, const std::string& what,
                      bool one_kernel, kernel::Module& module,
                      const std::function<void(const KernelOfSteps&)>& add);

// Number of points at the ends of the grid, in dimension d, that tiles need not write
// (ir::Program::rim).
analysis::Reach rim_of(const ir::Program& program, int d);
// The grid without its rim.
ir::Box without_rim(const ir::Program& program);

// Number of tiles that cover dimension d of the grid, without `spared` of its points; at least 1 if
// the grid has points (I32).
kernel::Expr tiles_along(const Interface& interface, int d, const TileLength& length,
                         int64_t spared);

// First coordinate of a tile (or first plane of a chunk) in dimension d. `below`: the low margin if
// places beyond the grid are periodic images, else 0.
kernel::Expr tile_origin(const Interface& interface, int d, const kernel::Expr& number,
                         const kernel::Expr& core, int64_t below);

// A range of coordinates, bounds inclusive. Null: unbounded on this side.
struct Interval {
  kernel::Expr low, high;

  void tighten_low(const kernel::Expr& to);
  void tighten_high(const kernel::Expr& to);
  // Appends the conditions under which all coordinates from `first` to `last` are in the interval.
  void append_to(std::vector<kernel::Expr>& conditions, const kernel::Expr& first,
                 const kernel::Expr& last) const;
  bool is_open() const { return !low && !high; }

 private:
  std::set<std::string> limits_;  // as text, to add each only once
};

// Threads or elements in dimension d (outermost first) of a grid of `rank`; `shape` is x first.
int along(const Shape& shape, int rank, int dimension);

// Kernel variables (I32): index of the tile's first step, and number of steps to execute in this
// tile.
inline kernel::Expr first_step() {
  return kernel::variable("first_step");
}
inline kernel::Expr step_count() {
  return kernel::variable("steps");
}
// Steps that a tile skips, in a kernel of `of` steps that also serves shorter tiles.
inline kernel::Expr steps_left_out(int of) {
  return kernel::sub(kernel::integer(of), step_count());
}

}  // namespace stencil::schedule
