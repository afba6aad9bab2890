// A grid cut into tiles, one per block, and time into tiles of some steps.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compiler/analysis/reads.h"
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

// How many tiles of a length cover the box in dimension d, as I64; a literal where that is known.
kernel::Expr tile_count(const Interface& interface, const ir::Box& box, int d,
                        const TileLength& length);

// The number of a block, taken apart into that of its tile in each dimension: the one that runs
// fastest first.
class BlockNumber {
 public:
  // The number (I32) in a dimension that has `count` tiles, which the kernel knows as `tiles`.
  kernel::Expr take(const kernel::Expr& count, const kernel::Expr& tiles);
  // In the last dimension, which needs no remainder.
  kernel::Expr take_rest(const kernel::Expr& count);
  // I64: the product of all counts so far.
  const kernel::Expr& blocks() const { return blocks_; }

 private:
  kernel::Expr rest_ = kernel::convert(kernel::variable("block", Scalar::I64), Scalar::I32);
  kernel::Expr blocks_ = kernel::integer(1, Scalar::I64);
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

  // A constant's name: kernels of fewer steps have their own.
  std::string constant_name(const std::string& wanted) const;
};
// Appends the actions of a schedule to the module, with one kernel for tiles of any size or one for
// each of tile_sizes(), named after the program and `what`; `add` makes one of them, with its
// launch for any steps.
void lower_tile_sizes(const ir::Program& program, const Schedule& schedule, const std::string& what,
                      bool one_kernel, kernel::Module& module,
                      const std::function<void(const KernelOfSteps&)>& add);

// Points at the ends of the grid, in dimension d, that no tile has to write (ir::Program::rim).
analysis::Reach rim_of(const ir::Program& program, int d);
// The grid without them.
ir::Box without_rim(const ir::Program& program);

// How many tiles of a length, laid side by side, cover dimension d of the grid but for `spared` of
// its points; at least one if it has points at all. I32.
kernel::Expr tiles_along(const Interface& interface, int d, const TileLength& length,
                         int64_t spared);

// The first place of a tile, or plane of a chunk, in dimension d: tiles whose places may be images
// of points begin with their margin, of `below` points, others at the grid's edge without one (0).
kernel::Expr tile_origin(const Interface& interface, int d, const kernel::Expr& number,
                         const kernel::Expr& core, int64_t below);

// Coordinates between two bounds, both included. Null: there is no bound on this side.
struct Interval {
  kernel::Expr low, high;

  void tighten_low(const kernel::Expr& to);
  void tighten_high(const kernel::Expr& to);
  // What a coordinate, or all from one to another, has to meet.
  void append_to(std::vector<kernel::Expr>& conditions, const kernel::Expr& first,
                 const kernel::Expr& last) const;
  bool is_open() const { return !low && !high; }

 private:
  std::set<std::string> limits_;  // as text: each is taken once
};

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
// In a kernel of `of` steps that serves tiles of fewer as well: how many of them this one leaves
// out.
inline kernel::Expr steps_left_out(int of) {
  return kernel::sub(kernel::integer(of), step_count());
}

}  // namespace stencil::schedule
