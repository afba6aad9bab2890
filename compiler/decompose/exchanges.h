// Who sends what to whom.
#pragma once

#include "compiler/decompose/decomposition.h"

namespace stencil::decompose {

// The exchanges of a part's halos, by phase. A message goes to each neighbour, those at edges and
// corners too, and is told from others between the same parts by the direction in which it goes.
// Boxes are in the coordinates of the part, with images counting on beyond the grid.
std::vector<ir::Halo> halos_of(const ir::Program& program, const Decomposition& decomposition,
                               int part);

// What each part makes of a profile, to all others.
std::vector<ir::Exchange> profile_exchanges(const ir::Program& program,
                                            const Decomposition& decomposition, int part,
                                            ir::FieldId profile);

}  // namespace stencil::decompose
