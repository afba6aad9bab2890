// The final output of `stencilc run`.
#pragma once

#include <string>

#include "stencil/simulation.h"

namespace stencil::tool {

// Device, schedule, steps and speed of a run that began at step `first` and was to take `wanted`
// steps, and its reductions. `full`: print the schedule with all settings.
Result<std::string> summary(const Kernel& kernel, Simulation& simulation, const Report& report,
                            int64_t first, int64_t wanted, bool full);

// What a race of schedules has tried and gained.
std::string describe(const ScheduleRace& race);

// Describes the NaN and infinite values of a field: how many, at which step, where, and since when.
// Also describes an infinite reduction.
std::string describe(const NonFinite& values);

// A table with one line per component of every field.
Result<std::string> statistics(State& state);

}  // namespace stencil::tool
