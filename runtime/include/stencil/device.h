// The devices of this machine that can run programs.
#pragma once

#include <string>
#include <vector>

#include "stencil/result.h"

namespace stencil {

// One kind of device: "cuda", "host", "opencl", "reference".
struct Device {
  std::string name;         // as KernelOptions::device takes it
  std::string description;  // hardware and driver; empty if the device is absent
  bool available = false;
  std::string reason;           // why it is not available
  bool takes_pointers = false;  // supports Kernel::attach_device()
};

// All kinds, in the order in which "auto" prefers them. Probes the machine on every call, which may
// take milliseconds. Thread-safe.
STENCIL_API std::vector<Device> devices();

// The device called `name`: "auto" (the first available one), "cuda:1" (the second GPU),
// "opencl:TEXT" or "cuda:TEXT" (the first whose name contains TEXT), or a name from devices().
// Errors: R040 for an unknown name; R041, with the reason, if the device is absent. Thread-safe.
STENCIL_API Result<Device> choose_device(const std::string& name);

}  // namespace stencil
