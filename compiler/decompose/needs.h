// Uses the backward analysis to find what subdomains read from their neighbours.
#pragma once

#include "compiler/decompose/decomposition.h"

namespace stencil::decompose {

// For `steps` steps between two exchanges. `decomposition` must have cuts and bounds.
Needs needs_of(const ir::Program& program, const Decomposition& decomposition, int64_t steps);

// The tiles of a reduction that each subdomain takes: those whose first point it owns.
ir::SharedTiles tiles_of(const ir::Program& program, const ir::Reduction& reduction,
                         const Decomposition& decomposition);
// The points of the reduction's region in the tiles of a subdomain.
ir::Points region_of(const ir::Program& program, const ir::Reduction& reduction,
                     const ir::SharedTiles& tiles, int subdomain);

}  // namespace stencil::decompose
