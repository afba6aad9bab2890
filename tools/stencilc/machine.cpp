#include "tools/stencilc/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/driver/compile.h"
#include "compiler/support/try.h"
#include "runtime/devices/device_table.h"

namespace stencil::tool {

namespace {

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

// The target whose code the device runs; null: it runs none.
const emit::TargetInfo* target_of(const runtime::Device& device) {
  for (const emit::TargetInfo& target : emit::targets()) {
    const auto name = device_for(target);
    if (name.ok() && name.value() == device.name) return &target;
  }
  return nullptr;
}

// All targets. OpenCL, which takes every machine, is the last.
std::vector<const emit::TargetInfo*> targets_by_machine() {
  std::vector<const emit::TargetInfo*> all;
  for (const emit::TargetInfo& each : emit::targets()) all.push_back(&each);
  std::stable_partition(all.begin(), all.end(),
                        [](const emit::TargetInfo* each) { return !runs_anywhere(each->target); });
  return all;
}

// "; --target hip has it", or "".
std::string elsewhere(const std::string& machine, const emit::TargetInfo& asked) {
  for (const emit::TargetInfo* other : targets_by_machine()) {
    if (other->name == asked.name || !machine_for(other->target, machine)) continue;
    return fmt::format("; --target {} has it", other->name);
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

namespace {

AssumedMachine of_device(const emit::TargetInfo* target, runtime::ChosenDevice device) {
  const emit::TargetInfo* own = target ? target : target_of(device.device);
  AssumedMachine out{own ? own : &emit::targets().front(), device.device.machine, {}, ""};
  out.device = std::move(device);
  return out;
}

// A row of the table, named by the user. Without a target: the first one that it runs.
Result<AssumedMachine> named_machine(const std::string& name, const emit::TargetInfo* target) {
  const auto possible = target ? std::vector{target} : targets_by_machine();
  for (const emit::TargetInfo* each : possible) {
    if (auto machine = machine_for(each->target, name)) {
      return AssumedMachine{each, *std::move(machine), {}, ""};
    }
  }
  const emit::TargetInfo& asked = *possible.front();
  return Failure{"U010", fmt::format("--machine {} does not run target {}", name, asked.name),
                 fmt::format("one of {}{}", fmt::join(machines_for(asked.target), ", "),
                             elsewhere(name, asked))};
}

}  // namespace

Result<AssumedMachine> assume_machine(const Arguments& arguments, const emit::TargetInfo* target) {
  if (arguments.device != "auto") {
    if (!arguments.machine.empty() && arguments.machine != "this") {
      return Failure{"U010", "--device contradicts --machine", "give one of them"};
    }
    auto chosen = TRY(runtime::choose_device(arguments.device));
    return of_device(target, std::move(chosen));
  }
  const bool here = arguments.machine == "this";
  if (!arguments.machine.empty() && !here) return named_machine(arguments.machine, target);
  const auto name = target ? device_for(*target) : Result<std::string>("auto");
  if (!name.ok() && here) return name.failure();
  if (name.ok()) {
    auto chosen = runtime::choose_device(name.value());
    if (chosen.ok() && chosen.value().device.runs_kernels) {
      return of_device(target, std::move(chosen).value());
    }
    if (!chosen.ok() && (here || chosen.failure().code != "R041")) return chosen.failure();
  }
  const emit::TargetInfo& kernels = target ? *target : emit::targets().front();
  AssumedMachine out{&kernels, machine_of(kernels.target), {}, ""};
  out.note = fmt::format("for {} ({}): no device of this computer runs {}; --machine names another",
                         out.machine.description, out.machine.name, kernels.name);
  return out;
}

std::string describe(const AssumedMachine& assumed) {
  const schedule::Machine& machine = assumed.machine;
  const std::string text = fmt::format("{} ({})", machine.name, machine.description);
  if (!assumed.note.empty()) {
    return fmt::format("{}, the default for {}; --machine names another", text,
                       assumed.target->name);
  }
  if (!assumed.device) return text;
  if (!machine.threads_are_loops) return text + ", present where this file was made";
  const int threads = machine.multiprocessors;
  return fmt::format("the CPU where this file was made, {} thread{}; --machine names another",
                     threads, threads == 1 ? "" : "s");
}

}  // namespace stencil::tool
