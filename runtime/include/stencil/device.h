// What can run a program on this machine.
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
  std::string reason;           // why it is not
  bool takes_pointers = false;  // Kernel::attach_device() works: arrays where kernels find theirs
};

// Every kind, the one that "auto" prefers first. Looks at the machine anew, which may take some
// milliseconds. Thread-safe.
STENCIL_API std::vector<Device> devices();

// The device called `name`: "auto" (the first that is present), "cuda:1" (the second GPU),
// "opencl:NAME" and "cuda:NAME" (the first whose name contains NAME), or a name from devices().
// R040 if nothing is called that, R041 if it is absent, with the reason. Thread-safe.
STENCIL_API Result<Device> choose_device(const std::string& name);

}  // namespace stencil
