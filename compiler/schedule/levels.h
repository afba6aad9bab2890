// Time levels under time tiling: which levels of a field a tile reads from memory, and where it
// writes the ones it makes.
#pragma once

#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"

namespace stencil::schedule {

// Per function: it is the first of a step to write its target, whose levels move on by one.
std::vector<bool> advancing_functions(const ir::Program& program);

// How many levels of a field, the newest first, some step reads as they are in memory before the
// first step of a tile: of a written field at least the newest, whose values pass on where no
// function writes; 0 if nothing reads or writes the field.
int levels_read(const ir::Program& program, ir::FieldId field);

// How many levels of a written field are at hand at once while a tile of up to `steps` steps is
// computed: those that some function reads, and those that the tile leaves to be written.
int levels_kept(const ir::Program& program, ir::FieldId field, int steps);

// The slot that level @-`level` after a tile of `steps` steps is written to, under a plan for tiles
// of up to `time_tile` steps.
int result_slot(const ir::Field& field, int time_tile, int steps, int level);

// Gives written arrays their spare slots and appends the rotations after a tile.
void rotate_levels(const ir::Program& program, kernel::Plan& plan);

}  // namespace stencil::schedule
