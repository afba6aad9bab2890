// What `auto` takes where a run is long enough to be worth it: of a few schedules that the model
// likes, the one that the device at hand does fastest (docs/tuning.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/schedule/explore.h"
#include "runtime/run/run.h"
#include "runtime/tune/worth.h"

namespace stencil::tune {

// A run that is about to begin.
struct RunAhead {
  // How many steps it takes; nothing: as many as the program says, and one that does not say is not
  // worth anything.
  std::optional<int64_t> steps = {};
  bool dense = false;  // as for runtime::prepare
  runtime::StageCallback stage = {};
};

// The fastest line for this run on this device, with its origin: kept in the kernel cache from an
// earlier run, or timed now and kept. Nothing where neither is: the run is not worth it, memory is
// short, sizes or params are open, nothing could be timed, tuning is off. The kept one holds for
// the program's computation at these sizes, on this hardware with these drivers and compilers.
std::optional<runtime::KnownLine> timed_choice(const ir::Program& program,
                                               const runtime::ChosenDevice& device,
                                               const RunAhead& run);

// What `auto` takes in a run, in this order: what the tuning database says (tuned.h), what is
// timed, what is best as compiled (compiled_choice.h). Nothing: rules decide.
std::optional<runtime::KnownLine> automatic_line(const ir::Program& program,
                                                 const runtime::ChosenDevice& device,
                                                 const RunAhead& run);

}  // namespace stencil::tune
