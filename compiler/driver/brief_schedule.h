// Short schedule lines for messages.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace stencil {

// The line of `schedule` with its tile (T, block, elements) and those other settings that differ
// from the family's defaults. For this program and each of these machines, schedule::parse() gives
// the same schedule for this line as for the complete one (schedule::print). If no shorter line
// does, returns the complete one.
std::string brief_schedule(const schedule::Schedule& schedule, const ir::Program& program,
                           const std::vector<schedule::Machine>& machines);

}  // namespace stencil
