// A part of a decomposed program as a program of its own: of every field the points that the part
// has memory for, of every region those whose values it can compute from there. Coordinates stay
// those of the whole grid, so nothing that a kernel computes changes.
//
//          owned
//   ..|.......................|..
//   memory: owned and the halo; regions: memory but for what they read around their points
//
// Values in the halo grow old from its rim inwards, by one reach a step; an exchange makes all of
// them new before a point that is owned would read an old one (needs.h).
#pragma once

#include "compiler/decompose/decomposition.h"

namespace stencil::decompose {

// `program` is at sizes. Beyond the edge of a grid that wraps around, the part has images of the
// points of the far side: their coordinates count on.
// `rounds_are_tiles`: those of the decomposition, so that the part has a rim (ir::Program::rim).
ir::Program restrict_to(const ir::Program& program, const Decomposition& decomposition, int part,
                        bool rounds_are_tiles = true);

// Where a point of the part's memory is in the grid.
int64_t wrapped(const ir::Program& program, const Decomposition& decomposition, size_t d,
                int64_t coordinate);

// The points of a field that a part owns; of profiles, series and points what the part makes of
// them, or nothing.
ir::Points owned_points(const ir::Program& program, const Decomposition& decomposition, int part,
                        ir::FieldId field);

}  // namespace stencil::decompose
