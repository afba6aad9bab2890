// Residues of coordinates that are known at compile time, and the work that they save.
#pragma once

#include <cstdint>

#include "compiler/schedule/common/residues.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/streaming/plan.h"

namespace stencil::schedule {

constexpr int kLongestUnroll = 8;  // planes

// Sets StreamPlan::known. If the schedule leaves `unroll` open, unrolls the loop over planes to
// make their residues known.
void know_residues(const ir::Program& program, const Schedule& schedule, StreamPlan& plan);

// Sets Quantity::asked.
void ask_for_cells(const ir::Program& program, PieceCongruences& congruences, StreamPlan& plan);

// Bit mask of the plane remainders for which a column beside the patch is fetched at this age.
uint32_t planes_fetched(const StreamPlan& plan, const Quantity& quantity, int age, int row,
                        int column);
uint32_t all_planes(const StreamPlan& plan);

}  // namespace stencil::schedule
