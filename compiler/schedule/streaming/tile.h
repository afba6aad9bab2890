// Where a block of a streaming kernel is: its tile, its chunk of planes, the patch of a thread, and
// the part of its work that needs no tests.
#pragma once

#include <array>
#include <vector>

#include "compiler/schedule/streaming/chunks.h"
#include "compiler/schedule/streaming/context.h"

namespace stencil::schedule {

class StreamTile {
 public:
  // Numbers the tiles and chunks; appends to `body` what defines those of a block.
  StreamTile(const StreamContext& context, const KernelOfSteps& kernel, Body& body);

  Expr blocks;                                   // how many; I64
  std::array<int64_t, 2> outer_blocks = {0, 0};  // kernel::Launch::outer_blocks
  Expr first_plane, last_plane;                  // of the chunk: those that the block writes
  Expr front_begin;                              // where the front is in iteration 0
  Expr is_inside;  // the tile's points need no tests, given the right planes

  // The first place of the tile; in 2-D, of that of the block's row of threads of this number.
  Expr origin(int axis, int row) const { return origin_of(axis, plus(tile_[axis], row)); }
  // Defines the first coordinates of the thread's patch, which the following refer to.
  Body declare_patch();
  Expr first(int axis) const { return kernel::load(first_[axis], {}, Scalar::I32); }
  // The patch's current row or column.
  Expr place(int axis) const {
    return kernel::add(first(axis), axis == 0 ? context_.column() : context_.row());
  }
  // Of the grid, what the tiles of the block cover in so many planes from this place on.
  GridBox covered(const Expr& place, int64_t planes) const;
  // The place belongs to the tile's core; the first and last tile also own what lies beyond it,
  // unless that is images.
  std::vector<Expr> core_conditions(const Tests& tests, int axis, const Expr& at) const;
  // The fronts at which nothing needs to be tested, in a tile that is inside.
  Interval fronts_inside() const;

 private:
  // Numbers the chunks of the first and the last group of tiles before all others: sets the tile
  // and the number of blocks, and returns the chunk's number; `chunk` becomes its length.
  Expr set_edges_apart(const Chunks& chunks, const Expr& edge_chunk, Expr& chunk, Body& body);
  // The number of such a block by these kinds, where those next to other parts are launched apart.
  Expr with_outer_blocks_apart(const Chunks& chunks, int64_t per_edge, int64_t per_group,
                               const Expr& block, Body& body);
  void find_outer_blocks(const Expr& across, const Expr& chunk_count, int64_t length);
  Expr origin_of(int axis, const Expr& tile) const;
  Expr number(int axis) const;  // of the thread's tile
  std::vector<Interval> points() const;
  Expr points_are_inside() const;

  const StreamContext& context_;
  std::array<Expr, 2> core_, tile_, last_tile_;  // per axis; in 2-D, tile_ is the block's first
  std::vector<BufferId> first_;                  // per axis: the patch's first coordinate
};

// The piece that covers nearly all of the grid; -1 if there is none.
int main_piece(const ir::Program& program, const StreamStage& stage);

}  // namespace stencil::schedule
