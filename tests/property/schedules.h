// Random schedules for random programs.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/schedule.h"
#include "tests/property/random.h"

namespace stencil::property {

// A line for schedule::parse.
std::string random_schedule(Random& random, const std::string& family, int rank, FpMode fp);

// Lowers the program, with other settings of the same family where these are refused; null if those
// are refused too. `schedule` is what was taken, `refusal` the code of the last refusal.
std::optional<kernel::Module> lower_somehow(const ir::Program& program,
                                            schedule::Schedule& schedule, std::string& refusal);

}  // namespace stencil::property
