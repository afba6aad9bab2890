// Whether the schedule of a run is chosen while it runs (racing_program.h), and what it begins
// with.
#pragma once

#include <optional>

#include "runtime/tune/racing_program.h"
#include "runtime/tune/run_ahead.h"

namespace stencil::tune {

struct RaceStart {
  runtime::KnownLine line;
  RacedRun run;
};

// nullopt if the schedule is chosen before the run, or is known: the length of the run or the sizes
// are unknown, the run is short, results depend on the schedule (`fast`), the tuning database or an
// earlier run of a similar length has decided, the program has phases with settings of their own,
// fields are in the user's memory, the device cannot compile while it runs, or tuning is off.
std::optional<RaceStart> race_start(const ir::Program& program, const runtime::ChosenDevice& device,
                                    const RunAhead& run);

}  // namespace stencil::tune
