// Random schedules for random programs.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/schedule.h"
#include "tests/property/random.h"

namespace stencil::property {

// Draws a line for schedule::parse.
std::string random_schedule(Random& random, const std::string& family, int rank, FpMode fp);

// Lowers the program. If the schedule is refused, tries other settings of the same family; nullopt
// if all are refused. `schedule` becomes the accepted one, `refusal` the code of the last refusal.
std::optional<kernel::Module> lower_somehow(const ir::Program& program,
                                            schedule::Schedule& schedule, std::string& refusal);

}  // namespace stencil::property
