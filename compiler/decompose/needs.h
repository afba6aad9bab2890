// What the parts of a decomposition read of their neighbours, by the backward analysis.
#pragma once

#include "compiler/decompose/decomposition.h"

namespace stencil::decompose {

// For `steps` steps between two exchanges. `decomposition` has its cuts and bounds.
Needs needs_of(const ir::Program& program, const Decomposition& decomposition, int64_t steps);

// The tiles of a reduction that each part takes: those whose first point it owns.
ir::SharedTiles tiles_of(const ir::Program& program, const ir::Reduction& reduction,
                         const Decomposition& decomposition);
// The points of its region in the tiles of a part.
ir::Points region_of(const ir::Program& program, const ir::Reduction& reduction,
                     const ir::SharedTiles& tiles, int part);

}  // namespace stencil::decompose
