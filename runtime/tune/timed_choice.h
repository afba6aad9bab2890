// Autotuning before a run that is long enough to pay for it: times a few of the model's favourites
// and takes the fastest on this device (docs/guide/tuning.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/schedule/explore.h"
#include "runtime/run/run.h"
#include "runtime/tune/run_ahead.h"
#include "runtime/tune/worth.h"

namespace stencil::tune {

// The fastest line for this run on this device, with its origin: from the kernel cache, or timed
// now and stored there. nullopt if neither is possible: the run is too short, memory does not
// suffice, sizes or params are open, nothing could be timed, or tuning is off. A stored line
// applies to the program's computation at these sizes, on this hardware with these driver and
// compiler versions.
std::optional<runtime::KnownLine> timed_choice(const ir::Program& program,
                                               const runtime::ChosenDevice& device,
                                               const RunAhead& run);

// The choice of `auto` for a run, from the first source that has one: the tuning database
// (tuned.h), timing, a run too short to repay compilation (brief_run.h), machine code
// (compiled_choice.h). nullopt: the model decides.
std::optional<runtime::KnownLine> automatic_line(const ir::Program& program,
                                                 const runtime::ChosenDevice& device,
                                                 const RunAhead& run);

}  // namespace stencil::tune
