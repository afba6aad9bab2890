// Makes a program for one subdomain of a decomposed program. Fields are restricted to the points in
// the subdomain's memory, and regions to points whose values can be computed from there.
// Coordinates stay those of the whole grid, so kernels compute the same values.
//
//          owned
//   ..|.......................|..
//   memory: owned points and halo; regions: memory without what they read around their points
//
// Values in the halo become outdated from the outside inwards, by one stencil radius per step. An
// exchange renews them before an owned point would read an outdated one (needs.h).
//
// Index maps between grids are those of the whole program, because coordinates are.
#pragma once

#include "compiler/decompose/decomposition.h"

namespace stencil::decompose {

// `program` must have constant sizes. If the grid wraps around, the subdomain's memory may extend
// beyond the edge of the grid. Points there are images of points on the far side, and their
// coordinates continue those of the grid. `in_common_tiles`: the subdomain takes the
// decomposition's common tiles, so it has a rim (ir::Program::rim).
ir::Program restrict_to(const ir::Program& program, const Decomposition& decomposition,
                        int subdomain, bool in_common_tiles = true);

// The grid coordinate of a point in the subdomain's memory.
int64_t wrapped(const ir::Program& program, const Decomposition& decomposition, size_t d,
                int64_t coordinate, ir::DomainId domain = 0);

// The points of a field that a subdomain owns. For profiles, series and points: those that it
// computes, possibly none.
ir::Points owned_points(const ir::Program& program, const Decomposition& decomposition,
                        int subdomain, ir::FieldId field);

}  // namespace stencil::decompose
