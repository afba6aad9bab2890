// What `stencilc run` prints when a run has ended.
#pragma once

#include <string>

#include "stencil/simulation.h"

namespace stencil::tool {

// Device, schedule, steps and speed of a run that was at step `first` and had `wanted` steps to
// take, and its reductions; `full`: the schedule with all of its settings.
Result<std::string> summary(const Kernel& kernel, Simulation& simulation, const Report& report,
                            int64_t first, int64_t wanted, bool full);

// What of a field is no finite number at this step, where, and since when.
std::string describe(const NonFinite& values, int64_t step);

// A line per component of every field, under a heading.
Result<std::string> statistics(State& state);

}  // namespace stencil::tool
