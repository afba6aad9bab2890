// The table of devices, and selection by name.
#pragma once

#include <string>
#include <vector>

#include "runtime/devices/device.h"
#include "stencil/result.h"

namespace stencil::runtime {

// All devices, in the order in which `auto` prefers them.
const std::vector<Device>& device_table();

// The machine of the device named by `selector`, for schedules, if it is present.
schedule::Machine machine_of(const Device& device, const std::string& selector);

// Information about each device on this machine.
std::vector<DeviceInfo> devices();

// A device selected by name.
struct ChosenDevice {
  Device device;  // with the machine of the selected device
  std::string selector;
  DeviceInfo info;
};
// The device called `name` ("host", "opencl:NAME"), or for "auto" the first available one. R040,
// R041; R077 for invalid environment variables (environment.h), which devices are about to read.
Result<ChosenDevice> choose_device(const std::string& name);

}  // namespace stencil::runtime
