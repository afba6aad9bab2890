// Exchanges of a decomposed program (ir/subdomain.h) as kernels: one packs all messages of an
// exchange, one unpacks them.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/subdomain.h"
#include "compiler/schedule/common/interface.h"

namespace stencil::schedule {

// Adds the halo exchange of a subdomain at the current position in the plan. `counts_tiles`: it is
// executed after a number of tiles of its loop, else whenever it is reached. Returns its index in
// the plan; nullopt: the subdomain exchanges nothing.
std::optional<size_t> append_halo(const ir::HaloExchange& halo, const Interface& interface,
                                  bool counts_tiles, kernel::Module& module);

// Adds a first-block argument to the kernels of launches whose outer blocks run separately.
void set_outer_blocks_apart(kernel::Module& module);

// Appends an exchange of tile values between subdomains. Each subdomain has reduced its own tiles.
// `values`: scratch memory for all tiles.
int append_tile_exchange(const ir::Subdomain& subdomain, const ir::SharedTiles& tiles, int values,
                         const Interface& interface, kernel::Module& module);
// Appends an exchange of profile points between subdomains. Each subdomain has computed its own
// points. `slot`: the slot of the profile that holds them.
int append_profile_exchange(const std::vector<ir::PatchExchange>& exchanges, int slot,
                            const Interface& interface, kernel::Module& module);

}  // namespace stencil::schedule
