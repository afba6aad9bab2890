// What a part of a decomposed program exchanges with the others (ir/part.h), as kernels that pack
// and unpack it: one of each for all messages of an exchange, whatever they consist of.
#pragma once

#include <vector>

#include "compiler/ir/part.h"
#include "compiler/schedule/parts/interface.h"

namespace stencil::schedule {

// The halos of a part: where they are due in the plan, as the actions are appended. Nothing for a
// program that is no part. `occasion`: into ir::Part::halos; `each_step`: see kernel::HaloSwap.
void append_halo(const ir::Program& program, const Interface& interface, size_t occasion,
                 bool each_step, kernel::Module& module);

// The values of the tiles that each part has reduced, in scratch memory for those of all.
int append_tile_swap(const ir::Part& part, const ir::SharedTiles& tiles, int values,
                     const Interface& interface, kernel::Module& module);
// The points of a profile that each part has made, in the slot where they are written.
int append_profile_swap(const std::vector<ir::Exchange>& exchanges, int slot,
                        const Interface& interface, kernel::Module& module);

}  // namespace stencil::schedule
