// What a kernel knows of coordinates when it is compiled, and what it need not do for that.
#pragma once

#include <cstdint>

#include "compiler/schedule/parts/residues.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

constexpr int kLongestUnroll = 8;  // planes

// Sets StreamPlan::known, and unrolls the loop over planes for it where the schedule leaves that
// open.
void know_residues(const ir::Program& program, const Schedule& schedule, StreamPlan& plan);

// Sets Quantity::asked.
void ask_for_cells(const ir::Program& program, PieceCongruences& congruences, StreamPlan& plan);

// Of which planes a column beside the patch is brought in at this age: a bit for each remainder.
uint32_t planes_fetched(const StreamPlan& plan, const Quantity& quantity, int age, int row,
                        int column);
uint32_t all_planes(const StreamPlan& plan);

}  // namespace stencil::schedule
