// Computes which subdomains exchange which points.
#pragma once

#include "compiler/decompose/decomposition.h"

namespace stencil::decompose {

// The halo exchanges of a subdomain, in the order of Needs::by_occasion. There is one message per
// neighbour, including those at edges and corners. Messages between the same two subdomains are
// distinguished by direction. Boxes are in the coordinates of the subdomain, which continue beyond
// the grid for images.
std::vector<ir::HaloExchange> halos_of(const ir::Program& program,
                                       const Decomposition& decomposition, int subdomain);
// Those before the phases of `start`.
std::vector<ir::HaloExchange> halos_of_start(const ir::Program& program,
                                             const Decomposition& decomposition, int subdomain);

// Sends the values of a profile that each subdomain computes to all others.
std::vector<ir::PatchExchange> profile_exchanges(const ir::Program& program,
                                                 const Decomposition& decomposition, int subdomain,
                                                 ir::FieldId profile);

}  // namespace stencil::decompose
