// `auto` takes the first available device. A GPU comes first. The host compiler is preferred to
// OpenCL, because without a GPU an OpenCL device is the same CPU behind one more layer. The
// interpreter, which is always available, comes last.
#include "runtime/devices/device_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/support/synonyms.h"
#include "compiler/support/try.h"
#include "runtime/devices/cuda_device.h"
#include "runtime/devices/environment.h"
#include "runtime/devices/host_device.h"
#include "runtime/devices/opencl_device.h"
#include "runtime/devices/reference_device.h"

namespace stencil::runtime {

const std::vector<Device>& device_table() {
  static const std::vector<Device> kDevices = {cuda_device(), host_device(), opencl_device(),
                                               reference_device()};
  return kDevices;
}

schedule::Machine machine_of(const Device& device, const std::string& selector) {
  return device.machine_of == nullptr ? device.machine : device.machine_of(selector);
}

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> out;
  for (const Device& device : device_table()) out.push_back(device.probe(""));
  return out;
}

namespace {

ChosenDevice with_machine(const Device& device, const std::string& selector,
                          const DeviceInfo& info) {
  ChosenDevice out{device, selector, info};
  out.device.machine = machine_of(device, selector);
  return out;
}

Result<ChosenDevice> choose_automatically() {
  for (const Device& device : device_table()) {
    const DeviceInfo info = device.probe("");
    if (info.available) return with_machine(device, "", info);
  }
  return Failure{"R041", "no device is present", ""};  // unreachable: there is the interpreter
}

}  // namespace

Result<ChosenDevice> choose_device(const std::string& name) {
  TRY(check_environment());
  if (name == "auto") return choose_automatically();
  const size_t colon = name.find(':');
  const std::string base = name.substr(0, colon);
  const std::string selector = colon == std::string::npos ? "" : name.substr(colon + 1);
  std::vector<std::string> names = {"auto"};
  for (const Device& device : device_table()) {
    names.push_back(device.name);
    if (device.name != base) continue;
    if (colon != std::string::npos && (!device.takes_selector || selector.empty())) {
      const bool takes = device.takes_selector;
      return Failure{
          "R040", fmt::format("unknown device '{}'", name),
          takes ? fmt::format("use '{0}' or '{0}:NAME'", base) : fmt::format("use '{}'", base)};
    }
    const DeviceInfo info = device.probe(selector);
    if (info.available) return with_machine(device, selector, info);
    return Failure{"R041", fmt::format("device '{}' is not present: {}", name, info.reason),
                   "'stencilc devices' lists what this machine has"};
  }
  const std::string meant = suggest_option(base, names);
  return Failure{"R040", fmt::format("unknown device '{}'", name),
                 meant.empty() ? fmt::format("use one of {}", fmt::join(names, ", ")) : meant};
}

}  // namespace stencil::runtime
