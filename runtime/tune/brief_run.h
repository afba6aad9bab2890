// The schedule of a run on a CPU that is too short to repay the compilation of the fastest
// schedule.
#pragma once

#include <optional>

#include "runtime/run/run.h"
#include "runtime/tune/run_ahead.h"

namespace stencil::tune {

// A line that compiles so much sooner than the model's choice that the run ends earlier, with its
// origin. The seconds of compilation are estimated from the length of the kernels, those of the run
// from the model; nothing is compiled. nullopt: the model's choice ends the run first, the
// difference is below half a second, the device is no CPU, sizes or steps are open, or tuning is
// off.
std::optional<runtime::KnownLine> brief_choice(const ir::Program& program,
                                               const runtime::ChosenDevice& device,
                                               const RunAhead& run);

}  // namespace stencil::tune
