// Devices and kernels: what a program is compiled for, and the ways to start a run of it.
#include "runtime/api/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/driver/brief_schedule.h"
#include "runtime/api/attach.h"
#include "runtime/api/guarded.h"
#include "runtime/api/program.h"
#include "runtime/api/simulation.h"
#include "runtime/cluster/decomposed.h"
#include "runtime/devices/device_table.h"
#include "runtime/tune/timed_choice.h"

namespace stencil {

namespace api {

namespace {

Device describe(const runtime::DeviceInfo& info, const runtime::Device& device) {
  return {info.name, info.description, info.available, info.reason, device.takes_pointers};
}

Result<runtime::Prepared> prepare_one(const ir::Program& program, const KernelOptions& options,
                                      Diagnostics& diagnostics) {
  return runtime::prepare(
      program, options.device, options.schedule, diagnostics, options.dense, options.stage,
      [&](const runtime::ChosenDevice& chosen) {
        return tune::automatic_line(program, chosen, {options.steps, options.dense, options.stage});
      });
}

Result<runtime::Prepared> prepare_parts(const ir::Program& program, const KernelOptions& options,
                                        Diagnostics& diagnostics) {
  const auto params = bind(program, {});
  if (!params.ok()) return params.failure();
  const auto open = std::find_if(program.params.begin(), program.params.end(),
                                 [](const ir::Param& param) { return param.open(); });
  if (open != program.params.end()) {
    return Failure{
        "R094", fmt::format("the grid is cut before its size is known: '{}' is open", open->name),
        "give sizes when the program is read (Options::definitions, -D)"};
  }
  return runtime::prepare_parts(
      program, params.value().integers, {options.parts, options.exchange}, options.device,
      options.schedule, diagnostics, options.stage,
      [&](const ir::Program& part, const runtime::ChosenDevice& chosen) {
        return tune::automatic_line(part, chosen, {options.steps, false, options.stage});
      });
}

}  // namespace

Result<Kernel> compile(const Program& program, std::shared_ptr<const ProgramData> data,
                       const KernelOptions& options) {
  Diagnostics diagnostics;
  auto prepared = options.parts.empty() ? prepare_one(data->program, options, diagnostics)
                                        : prepare_parts(data->program, options, diagnostics);
  if (!prepared.ok()) {
    const bool in_program = prepared.failure().code.empty();
    return in_program ? failure_of(data->source, diagnostics) : prepared.failure();
  }
  const runtime::Prepared& made = prepared.value();
  std::string line =
      made.schedule ? schedule::print(*made.schedule, data->program.grid.rank()) : std::string();
  Device device = describe(made.device.info, made.device.device);
  return KernelData::wrap(std::make_shared<KernelData>(
      KernelData{std::move(data), program, std::move(prepared).value(), std::move(device), line}));
}

}  // namespace api

std::vector<Device> devices() {
  std::vector<Device> out;
  for (const runtime::Device& device : runtime::device_table()) {
    out.push_back(api::describe(device.probe(""), device));
  }
  return out;
}

Result<Device> choose_device(const std::string& name) {
  return api::guarded<Device>([&]() -> Result<Device> {
    const auto chosen = runtime::choose_device(name);
    if (!chosen.ok()) return chosen.failure();
    return api::describe(chosen.value().info, chosen.value().device);
  });
}

const Program& Kernel::program() const {
  return data_->program;
}
const Device& Kernel::device() const {
  return data_->device;
}
const std::string& Kernel::schedule() const {
  return data_->schedule;
}

const std::string& Kernel::schedule_origin() const {
  return data_->prepared.origin;
}

std::string Kernel::brief_schedule() const {
  const runtime::Prepared& made = data_->prepared;
  if (!made.schedule) return "";
  return stencil::brief_schedule(*made.schedule, data_->source->program,
                                 {made.device.device.machine});
}

Result<std::string> Kernel::code(CodeKind kind) const {
  return api::guarded<std::string>(
      [&] { return data_->prepared.loaded->code(static_cast<runtime::CodeKind>(kind)); });
}
static_assert(static_cast<runtime::CodeKind>(CodeKind::Source) == runtime::CodeKind::Source);
static_assert(static_cast<runtime::CodeKind>(CodeKind::Ptx) == runtime::CodeKind::Ptx);
static_assert(static_cast<runtime::CodeKind>(CodeKind::MachineCode) ==
              runtime::CodeKind::MachineCode);

Result<Simulation> Kernel::start(const ParamValues& values) const {
  auto state = data_->program.initial_state(values);
  if (!state.ok()) return state.failure();
  return start(std::move(state).value());
}

Result<Simulation> Kernel::start(State state) const {
  return api::guarded<Simulation>([&] { return api::start(data_, std::move(state)); });
}

Result<Simulation> Kernel::attach(const Arrays& arrays, const ParamValues& values) const {
  return api::guarded<Simulation>([&] {
    return api::attach(data_, arrays, api::SimulationData::Arrays::Host, nullptr, values);
  });
}

Result<Simulation> Kernel::attach_device(const Arrays& arrays, void* stream,
                                         const ParamValues& values) const {
  return api::guarded<Simulation>([&] {
    return api::attach(data_, arrays, api::SimulationData::Arrays::Device, stream, values);
  });
}

}  // namespace stencil
