// Selection of the machine to generate code for: --machine and --device.
#pragma once

#include <optional>

#include "compiler/emit/emit.h"
#include "compiler/schedule/machine.h"
#include "runtime/devices/device_table.h"
#include "stencil/result.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {

// nullopt if the target decides. U010 for a machine of another target, R040 and R041 for an absent
// device.
Result<std::optional<schedule::Machine>> pick_machine(const Arguments& arguments,
                                                      const emit::TargetInfo& target);

// U010 if --machine names another machine than this one, on which --measure runs.
std::optional<Failure> measured_elsewhere(const Arguments& arguments);

// The device for --measure that runs code of the target: --device, if it does, otherwise the first.
// U010, R040 and R041.
Result<runtime::ChosenDevice> device_of_target(const Arguments& arguments,
                                               const emit::TargetInfo& target);

}  // namespace stencil::tool
