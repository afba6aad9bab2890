// Time levels under time tiling: slots that a tile writes, and rotation.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"

namespace stencil::schedule {

// The slot to which a tile of `steps` steps writes level @-`level`, in a plan for tiles of up to
// `time_tile` steps.
int result_slot(const ir::Field& field, int time_tile, int steps, int level);

// Adds the spare slots of written arrays and appends the rotations after a tile.
void rotate_levels(const ir::Program& program, kernel::Plan& plan);

}  // namespace stencil::schedule
