// Plan of a `planes` tile: which planes it keeps, and when it computes them.
//
// The outermost dimension is streamed. Each iteration moves the front to the next plane. Each stage
// then computes one plane of its tile, `lag` planes behind the front. A stage is one stencil
// function of one step of the time tile, so T steps are in flight at once. Its results stay in a
// ring of planes while later stages read them. The first step reads from memory and the last one
// writes to memory. Neighbouring tiles recompute halos: overlapped tiling (Holewinski et al.,
// ICS'12) in the tiled dimensions and at the ends of chunks.
//
// This is the 3.5-D blocking of Nguyen et al. (SC'10, section 5) for any rank from 2 on. Rings are
// in a CPU's cache or in shared memory. Unlike in `streaming`, threads keep nothing in registers,
// so the same few loops handle any function and any number of fields.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/ir/program.h"
#include "compiler/schedule/common/limits.h"

namespace stencil::schedule {

struct PlanesVersion : analysis::Version {
  // Planes kept for later stages and for samples; 0: never read.
  int64_t ring = 0;
};

struct PlanesStage : analysis::Stage {
  int64_t lag = 0;  // planes behind the front
};

struct PlanesPlan {
  int steps = 0;  // T
  std::vector<PlanesVersion> versions;
  std::vector<PlanesStage> stages;
  analysis::Margin margin;     // hull of the boxes that stages compute
  std::vector<int64_t> cover;  // tile size in places; 1 in the streaming dimension
  // Dimensions in which places beyond the grid are periodic images.
  std::vector<bool> images;
  // Lags, margins and rings of each function are affine in the step. One body then serves all
  // steps, and tiles of fewer steps may skip the first ones.
  bool alike = false;
  int64_t chunk = 1;  // planes that a block writes
  int64_t halo = 0;   // planes passed in addition: the margins, or the largest lag if that is more

  // The stage of the same function one step earlier; null if there is none.
  const PlanesStage* before(const PlanesStage& stage) const;

  TileSides sides() const;  // of the tiled dimensions
  // Points that a tile writes, without the additional points of the first and last tile.
  int64_t core(int d) const {
    const size_t i = static_cast<size_t>(d);
    return cover[i] - margin[i].low - margin[i].high;
  }
  // Points at the grid's ends that need no tile. Without images, the first and last tile have no
  // margin at the grid's ends and write those points in addition to their core.
  int64_t spared(int d) const {
    const size_t i = static_cast<size_t>(d);
    return images[i] ? 0 : margin[i].low + margin[i].high;
  }
};

// `schedule` provides tile shape and chunk; its T is replaced by `steps`.
PlanesPlan plan_planes(const analysis::TimeTiles& tiles, const Schedule& schedule, int steps);

// Size of a block's rings in bytes.
int64_t ring_bytes(const ir::Program& program, const PlanesPlan& plan);

}  // namespace stencil::schedule
