// Position of a block in a streaming kernel: its tile, its chunk of planes, each thread's patch,
// and the part of its work that needs no tests.
#pragma once

#include <array>
#include <vector>

#include "compiler/schedule/streaming/chunks.h"
#include "compiler/schedule/streaming/context.h"

namespace stencil::schedule {

class StreamTile {
 public:
  // Defines the tile and chunk numbers of a block; appends the definitions to `body`.
  StreamTile(const StreamContext& context, const KernelOfSteps& kernel, Body& body);

  Expr blocks;                                   // number of blocks; I64
  std::array<int64_t, 2> outer_blocks = {0, 0};  // kernel::Launch::outer_blocks
  Expr first_plane, last_plane;                  // of the chunk: planes that the block writes
  Expr front_begin;                              // front at iteration 0
  Expr is_inside;  // condition: no point of the tile needs tests, given suitable planes

  // First place of the tile; in 2-D, of the tile of the block's thread row `row`.
  Expr origin(int axis, int row) const { return origin_of(axis, plus(tile_[axis], row)); }
  // Defines the first coordinates of the thread's patch, which the functions below use.
  Body declare_patch();
  Expr first(int axis) const { return kernel::load(first_[axis], {}, Scalar::I32); }
  // The patch's current row or column.
  Expr place(int axis) const {
    return kernel::add(first(axis), axis == 0 ? context_.column() : context_.row());
  }
  // The part of the grid that the block's tiles cover, in `planes` planes from `place` on.
  GridBox covered(const Expr& place, int64_t planes) const;
  // Conditions: `at` belongs to the tile's core. Without images, the core of the first and the last
  // tile includes the points up to the grid's end.
  std::vector<Expr> core_conditions(const Tests& tests, int axis, const Expr& at) const;
  // The fronts at which a tile with `is_inside` needs no tests.
  Interval fronts_inside() const;

 private:
  // Gives the chunks of the first and the last group of tiles the lowest numbers. Sets `tile_` and
  // `blocks`, sets `chunk` to the number of planes in this block's chunk, and returns that chunk's
  // number in its column.
  Expr number_boundary_groups_first(const Chunks& chunks, const Expr& boundary_chunk,
                                    kernel::Module& module, Expr& chunk, Body& body);
  // Maps a block's launch number to its number by kind, if blocks next to other subdomains are
  // launched separately.
  Expr with_outer_blocks_apart(const Chunks& chunks, int64_t per_boundary_group, int64_t per_group,
                               const Expr& block, Body& body);
  void find_outer_blocks(const Expr& across, const Expr& chunk_count, int64_t length);
  Expr origin_of(int axis, const Expr& tile) const;
  Expr number(int axis) const;  // of the thread's tile
  std::vector<Interval> points() const;
  Expr points_are_inside() const;

  const StreamContext& context_;
  std::array<Expr, 2> core_, tile_, last_tile_;  // per axis; 2-D: tile_ is the block's first one
  std::vector<BufferId> first_;                  // per axis: first coordinate of the patch
};

// The piece that covers nearly all of the grid; -1 if there is none.
int main_piece(const ir::Program& program, const StreamStage& stage);

}  // namespace stencil::schedule
