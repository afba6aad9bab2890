// The table of devices and the choice among them.
#pragma once

#include <string>
#include <vector>

#include "runtime/devices/device.h"
#include "stencil/result.h"

namespace stencil::runtime {

// All devices, the one that `auto` prefers first.
const std::vector<Device>& device_table();

// What schedules for the device that `selector` names are for, if it is present.
schedule::Machine machine_of(const Device& device, const std::string& selector);

// What each of them has to say about this machine.
std::vector<DeviceInfo> devices();

// A device as the user named it.
struct ChosenDevice {
  Device device;  // with the machine of the very device
  std::string selector;
  DeviceInfo info;
};
// The device called `name` ("host", "opencl:NAME"), or for "auto" the first that is present. R040,
// R041; R077 for the environment (environment.h), which devices are about to read.
Result<ChosenDevice> choose_device(const std::string& name);

}  // namespace stencil::runtime
