// The numbers of a tile of the `overlapped` family, apart from the code that uses them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/schedule/parts/limits.h"
#include "compiler/schedule/sweeps/sweep.h"

namespace stencil::schedule {

// How a step is divided. A read that lands far leaves the tile; what it needs is in memory, as it
// was when the launch began. So a tile computes the functions before the first that reads far what
// another has written in this step. That one and all after it are swept, a launch each.
struct OverlappedStep {
  explicit OverlappedStep(const ir::Program& program);

  const ir::Program& whole;
  const std::vector<Sweep> swept;   // the functions that are; of the whole program
  const ir::Program tiled;          // with the others
  const analysis::TimeTiles tiles;  // of those
};

// All numbers of a tile that do not depend on where it lies, in grid points, outermost dimension
// first.
struct OverlappedTile {
  OverlappedTile(std::shared_ptr<const OverlappedStep> step, const Schedule& schedule);

  std::shared_ptr<const OverlappedStep> step;
  Schedule schedule;
  TileSides sides;           // block x elements cover the hull of what is computed
  std::vector<bool> images;  // dimensions in which places beyond the grid are images
  std::map<ir::FieldId, analysis::Margin> held;  // of written fields: what their shared tiles hold
  std::map<ir::FieldId, int> levels;             // likewise: the time levels they hold it of

  const ir::Program& program() const { return step->tiled; }
  const analysis::TimeTile& time_tile() const { return step->tiles.of(schedule.time_tile); }
  std::vector<int64_t> core() const;  // output points per tile; below 1: the tile is too small
};

// Shared memory per block, in bytes.
int64_t shared_bytes(const OverlappedTile& tile);

// At most what the results of a block take that wait until the old values have been read, in bytes.
int64_t result_bytes(const OverlappedTile& tile);

}  // namespace stencil::schedule
