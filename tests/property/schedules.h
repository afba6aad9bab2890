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

// Settings of their own for a phase of the program, to append to a line; "" if its step is not cut.
std::string random_phase(Random& random, const ir::Program& program);

// Lowers the program. If the schedule is refused, tries other settings of the same family; nullopt
// if all are refused. `schedule` becomes the accepted one, `refusal` the code of the last refusal.
std::optional<kernel::Module> lower_somehow(const ir::Program& program,
                                            schedule::Schedule& schedule, std::string& refusal);

}  // namespace stencil::property
