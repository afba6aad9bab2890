// Geometry of the `overlapped` family: the numbers of a tile, apart from the code that uses them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/sweep.h"

namespace stencil::schedule {

// All numbers of a tile that do not depend on where it lies, in grid points, outermost dimension
// first.
struct OverlappedGeometry {
  analysis::TileAnalysis analysis;
  std::vector<int64_t> threads_cover;  // block x elements: the length of the computed hull
  std::vector<int64_t> core;           // output points per tile; below 1: the tile is too small
  std::vector<bool> images;            // dimensions in which places beyond the grid are images
  std::map<ir::FieldId, analysis::Margin> held;  // of written fields: what their shared tiles hold
  std::map<ir::FieldId, int> levels;             // likewise: the time levels they hold it of
};

// How a step is divided. A read that lands far leaves the tile; what it needs is in memory, as it
// was when the launch began. So a tile computes the functions before the first that reads far what
// another has written in this step. That one and all after it are swept, a launch each.
struct OverlappedStep {
  ir::Program tiled;         // with the functions that a tile computes alone
  std::vector<Sweep> swept;  // the others; of the whole program
};
OverlappedStep split_step(const ir::Program& program);

// `program`: what a tile computes (OverlappedStep).
OverlappedGeometry plan_overlapped(const ir::Program& program, const Schedule& schedule);

// Shared memory per block, in bytes.
int64_t shared_tile_bytes(const ir::Program& program, const OverlappedGeometry& geometry);

// At most what the results of a block take that wait until the old values have been read, in bytes.
int64_t result_bytes(const ir::Program& program, const OverlappedGeometry& geometry);

kernel::Module lower_overlapped(const ir::Program& program, const Schedule& schedule,
                                const Machine& machine);

}  // namespace stencil::schedule
