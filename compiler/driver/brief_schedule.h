// Schedule lines for people.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace stencil {

// The line of `schedule` with its tile (T, block, elements) and what else differs from the family's
// defaults. For this program and each of these machines, schedule::parse() of it gives the same
// schedule as of the whole line (schedule::print), which it is where nothing shorter does.
std::string brief_schedule(const schedule::Schedule& schedule, const ir::Program& program,
                           const std::vector<schedule::Machine>& machines);

}  // namespace stencil
