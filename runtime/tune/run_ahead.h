// A run that is about to start, and what the choice of its schedule depends on.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/run/run.h"
#include "runtime/tune/entry.h"

namespace stencil::tune {

struct RunAhead {
  // Number of steps; nullopt: the program's number. Without either, timing does not pay.
  std::optional<int64_t> steps = {};
  bool dense = false;  // as for runtime::prepare
  runtime::StageCallback stage = {};
  bool only_stored = false;  // use only stored choices: compile nothing and time nothing
};

// A run whose length can be predicted.
struct KnownRun {
  runtime::ChosenDevice device;  // device_for()
  Sizes sizes;
  runtime::Params params;
  int64_t steps = 0;
};

// The device, with a machine that stores fields as the run does (Machine::in_place).
runtime::ChosenDevice device_for(const runtime::ChosenDevice& device, const RunAhead& run);

// nullopt if sizes, params or the number of steps are open, if the device runs no kernels, or if
// tuning is off.
std::optional<KnownRun> known_run(const ir::Program& program, const runtime::ChosenDevice& device,
                                  const RunAhead& run);

}  // namespace stencil::tune
