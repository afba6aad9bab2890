// Selection of the machine to generate code for: --machine and --device.
#pragma once

#include <optional>

#include "compiler/emit/emit.h"
#include "compiler/schedule/machine.h"
#include "runtime/devices/device_table.h"
#include "stencil/result.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {

// The machine that kernels are made for.
struct AssumedMachine {
  const emit::TargetInfo* target = nullptr;
  schedule::Machine machine;
  std::optional<runtime::ChosenDevice> device;  // on this computer; nullopt: a row of the table
  // If the user named no machine and no device of this computer runs the target: what is assumed
  // instead; else "".
  std::string note;
};

// The machine that the user named with --device or --machine; else the device that `run` would
// choose among those that run the target, or among all if `target` is null; else the target's
// default. The choice among devices is runtime::choose_device(). U010 for a machine of another
// target, R040 and R041 for an absent device that the user named.
Result<AssumedMachine> assume_machine(const Arguments& arguments, const emit::TargetInfo* target);

// The machine for the head comment of an emitted file.
std::string describe(const AssumedMachine& assumed);

// U010 if --machine names another machine than this one, on which --measure runs.
std::optional<Failure> measured_elsewhere(const Arguments& arguments);

// The device for --measure that runs code of the target: --device, if it does, otherwise the first.
// U010, R040 and R041.
Result<runtime::ChosenDevice> device_of_target(const Arguments& arguments,
                                               const emit::TargetInfo& target);

}  // namespace stencil::tool
