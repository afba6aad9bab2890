// The machine that code is for: --machine and --device.
#pragma once

#include <optional>

#include "compiler/emit/emit.h"
#include "compiler/schedule/machine.h"
#include "runtime/devices/device_table.h"
#include "stencil/result.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {

// Nothing if the command line leaves it to the target. U010 for a machine of another target, R040
// and R041 for a device that is not there.
Result<std::optional<schedule::Machine>> pick_machine(const Arguments& arguments,
                                                      const emit::TargetInfo& target);

// U010 if --machine names another than this one, on which --measure times.
std::optional<Failure> measured_elsewhere(const Arguments& arguments);

// The device of this machine whose kernels have the settings of a target's code, for --measure:
// --device, if it names one that runs such code, else the first. U010, R040 and R041.
Result<runtime::ChosenDevice> device_of_target(const Arguments& arguments,
                                               const emit::TargetInfo& target);

}  // namespace stencil::tool
