// Time levels under time tiling: where a tile writes the ones it makes.
#pragma once

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"

namespace stencil::schedule {

// The slot that level @-`level` after a tile of `steps` steps is written to, under a plan for tiles
// of up to `time_tile` steps.
int result_slot(const ir::Field& field, int time_tile, int steps, int level);

// Gives written arrays their spare slots and appends the rotations after a tile.
void rotate_levels(const ir::Program& program, kernel::Plan& plan);

}  // namespace stencil::schedule
