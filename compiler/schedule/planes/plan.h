// A tile of the `planes` family: what it keeps, and when it computes what.
//
// The outermost dimension is streamed: iteration n brings the front to the next plane, and every
// stage then computes one plane of its tile, `lag` planes behind the front. A stage is one stencil
// function of one step of the time tile, so T steps are in flight at once. Its results stay in a
// ring of planes for as long as later stages read them; what the first step reads comes from memory
// and what the last one makes goes there. Halos are recomputed by neighbouring tiles: overlapped
// tiling (Holewinski et al., ICS'12) in the tiled dimensions and at the ends of chunks.
//
// This is the 3.5-D blocking of Nguyen et al. (SC'10, section 5) for programs of any rank from 2
// on: rings stand in a CPU's cache, or in shared memory. In contrast to `streaming`, threads
// keep nothing, so any function and any number of fields is served by the same few loops.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/ir/program.h"
#include "compiler/schedule/parts/limits.h"

namespace stencil::schedule {

struct PlanesVersion : analysis::Version {
  // Planes that are kept for later stages and for samples; 0: nobody reads it.
  int64_t ring = 0;
};

struct PlanesStage : analysis::Stage {
  int64_t lag = 0;  // planes behind the front
};

struct PlanesPlan {
  int steps = 0;  // T
  std::vector<PlanesVersion> versions;
  std::vector<PlanesStage> stages;
  analysis::Margin margin;     // the hull of what stages compute
  std::vector<int64_t> cover;  // places of a tile per dimension; of the streamed one, 1
  // Dimensions in which places beyond the grid are images of the points on the far side.
  std::vector<bool> images;
  // Lags, margins and rings of a function change evenly from step to step. So one body serves all
  // steps, and tiles of fewer steps may leave out the first ones.
  bool alike = false;
  int64_t chunk = 1;  // planes that a block writes
  int64_t halo = 0;   // planes that it passes besides: before them, after them, or for the lags

  // The stage of the same function one step earlier; null if there is none.
  const PlanesStage* before(const PlanesStage& stage) const;

  TileSides sides() const;  // of the tiled dimensions
  // Points that a tile writes, apart from what the first and the last have at the grid's ends.
  int64_t core(int d) const {
    const size_t i = static_cast<size_t>(d);
    return cover[i] - margin[i].low - margin[i].high;
  }
  // Points at the grid's ends that need no tile of their own: where there are no images, the first
  // and the last tile have no margin there, and write those points besides their core.
  int64_t spared(int d) const {
    const size_t i = static_cast<size_t>(d);
    return images[i] ? 0 : margin[i].low + margin[i].high;
  }
};

// `schedule` gives shapes and the chunk; its time tile is replaced by `steps`.
PlanesPlan plan_planes(const analysis::TimeTiles& tiles, const Schedule& schedule, int steps);

// Rings of a block, in bytes.
int64_t ring_bytes(const ir::Program& program, const PlanesPlan& plan);

}  // namespace stencil::schedule
