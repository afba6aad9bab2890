// Short schedule lines for messages.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace stencil {

// The line of `schedule` with its tile (T, block, elements) and those other settings that differ
// from the defaults of the family. On each of these machines, schedule::parse() of this line for
// this program gives the schedule of the complete line (schedule::print). If no shorter line does
// so, returns the complete line.
std::string brief_schedule(const schedule::Schedule& schedule, const ir::Program& program,
                           const std::vector<schedule::Machine>& machines);

}  // namespace stencil
