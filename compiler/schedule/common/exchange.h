// Exchanges of a decomposed program (ir/subdomain.h) as kernels: one packs all messages of an
// exchange, one unpacks them.
#pragma once

#include <vector>

#include "compiler/ir/subdomain.h"
#include "compiler/schedule/common/interface.h"

namespace stencil::schedule {

// Adds the halo exchange of a subdomain at the current position in the plan. Does nothing for a
// program that is not decomposed. `occasion`: index into ir::Subdomain::halo_exchanges;
// `each_step`: see kernel::HaloExchange.
void append_halo(const ir::Program& program, const Interface& interface, size_t occasion,
                 bool each_step, kernel::Module& module);

// Adds a first-block argument to the kernels of launches whose outer blocks run separately.
void set_outer_blocks_apart(kernel::Module& module);

// Exchange of the tile values that each subdomain has reduced. `values`: scratch memory for all
// tiles.
int append_tile_exchange(const ir::Subdomain& subdomain, const ir::SharedTiles& tiles, int values,
                         const Interface& interface, kernel::Module& module);
// Exchange of the profile points that each subdomain has computed. `slot`: where they are stored.
int append_profile_exchange(const std::vector<ir::PatchExchange>& exchanges, int slot,
                            const Interface& interface, kernel::Module& module);

}  // namespace stencil::schedule
