// Sizes of a tile of the `overlapped` family, separate from the code generation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/sweep.h"

namespace stencil::schedule {

// Splits a step into tiled and swept functions. A read outside the halo is a read whose boundary
// rule leads out of the tile's halo. Its value must come from memory, which holds the values from
// before the launch. So the first function that reads outside the halo from a field written earlier
// in the step cannot be tiled. This function and all later ones run as sweeps, one launch each. The
// tile computes the functions before it.
struct OverlappedStep {
  explicit OverlappedStep(const ir::Program& program);

  const ir::Program& whole;
  const std::vector<Sweep> swept;   // swept functions, referring to the whole program
  const ir::Program tiled;          // the program of the other functions
  const analysis::TimeTiles tiles;  // time tiles of `tiled`
};

// Sizes of a tile that do not depend on its position, in grid points, outermost dimension first.
struct OverlappedTile {
  OverlappedTile(std::shared_ptr<const OverlappedStep> step, const Schedule& schedule);

  std::shared_ptr<const OverlappedStep> step;
  Schedule schedule;
  TileSides sides;           // block x elements cover the hull of the computed boxes
  std::vector<bool> images;  // dimensions in which places beyond the grid are periodic images
  std::map<ir::FieldId, analysis::Margin> held;  // written fields: box that their shared tiles hold
  std::map<ir::FieldId, int> levels;             // written fields: number of time levels held

  const ir::Program& program() const { return step->tiled; }
  const analysis::TimeTile& time_tile() const { return step->tiles.of(schedule.time_tile); }
  std::vector<int64_t> core() const;  // output points per tile; below 1: the tile is too small
};

// Shared memory per block, in bytes.
int64_t shared_bytes(const OverlappedTile& tile);

// Upper bound, in bytes, for a block's results that wait until the old values have been read.
int64_t result_bytes(const OverlappedTile& tile);

}  // namespace stencil::schedule
