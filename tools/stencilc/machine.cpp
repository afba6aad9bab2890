#include "tools/stencilc/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/driver/compile.h"
#include "compiler/support/try.h"
#include "runtime/devices/device_table.h"

namespace stencil::tool {

namespace {

Result<std::optional<schedule::Machine>> of_device(const std::string& name) {
  const auto chosen = TRY(runtime::choose_device(name));
  return std::optional(chosen.device.machine);
}

// The device that runs code of the target.
Result<std::string> device_for(const emit::TargetInfo& target) {
  if (target.target == emit::Target::Cpp) return std::string("host");
  for (const runtime::Device& device : runtime::device_table()) {
    if (device.name == target.name) return device.name;
  }
  return Failure{
      "U010",
      fmt::format("no device of this machine runs {}, so 'this' names no machine", target.name),
      "name a machine from the table of 'stencilc devices'"};
}

// "; --target hip has it", or "".
std::string elsewhere(const std::string& machine, const emit::TargetInfo& asked) {
  for (const emit::TargetInfo& other : emit::targets()) {
    const auto names = machines_for(other.target);
    const bool serves = std::count(names.begin(), names.end(), machine) > 0;
    if (serves && other.name != asked.name) return fmt::format("; --target {} has it", other.name);
  }
  return "";
}

}  // namespace

std::optional<Failure> measured_elsewhere(const Arguments& arguments) {
  if (arguments.machine.empty() || arguments.machine == "this") return std::nullopt;
  return Failure{"U010", "--measure contradicts --machine " + arguments.machine,
                 "--measure times schedules on a device of this machine: see --device"};
}

Result<runtime::ChosenDevice> device_of_target(const Arguments& arguments,
                                               const emit::TargetInfo& target) {
  if (auto wrong = measured_elsewhere(arguments)) return *wrong;
  const auto name = device_for(target);
  if (!name.ok()) {
    return Failure{"U010", fmt::format("no device of this machine runs target {}", target.name),
                   "--measure is for cuda, opencl and cpp"};
  }
  if (arguments.device == "auto") return runtime::choose_device(name.value());
  auto chosen = runtime::choose_device(arguments.device);
  if (!chosen.ok() || chosen.value().device.name == name.value()) return chosen;
  return Failure{"U010",
                 fmt::format("--device {} does not run target {}", arguments.device, target.name),
                 fmt::format("the device '{}' does", name.value())};
}

Result<std::optional<schedule::Machine>> pick_machine(const Arguments& arguments,
                                                      const emit::TargetInfo& target) {
  if (arguments.device != "auto" && !arguments.machine.empty()) {
    return Failure{"U010", "--device contradicts --machine", "give one of them"};
  }
  if (arguments.device != "auto") return of_device(arguments.device);
  if (arguments.machine.empty()) return std::optional<schedule::Machine>();
  if (arguments.machine == "this") {
    const auto device = TRY(device_for(target));
    return of_device(device);
  }
  const auto names = machines_for(target.target);
  if (std::count(names.begin(), names.end(), arguments.machine) == 0) {
    return Failure{
        "U010", fmt::format("--machine {} does not run target {}", arguments.machine, target.name),
        fmt::format("one of {}{}", fmt::join(names, ", "), elsewhere(arguments.machine, target))};
  }
  return schedule::find_machine(arguments.machine);
}

}  // namespace stencil::tool
