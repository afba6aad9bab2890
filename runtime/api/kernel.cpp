// Devices and kernels: compiling a program for a device, and the ways to start a run.
#include "runtime/api/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/driver/brief_schedule.h"
#include "compiler/support/try.h"
#include "runtime/api/attach.h"
#include "runtime/api/guarded.h"
#include "runtime/api/program.h"
#include "runtime/api/ranks.h"
#include "runtime/api/simulation.h"
#include "runtime/cluster/mpi_program.h"
#include "runtime/devices/device_table.h"
#include "runtime/tune/race_start.h"
#include "runtime/tune/timed_choice.h"

namespace stencil {

namespace api {

namespace {

Device describe(const runtime::DeviceInfo& info, const runtime::Device& device) {
  return {info.name, info.description, info.available, info.reason, device.takes_pointers};
}

// `race` is set if the schedule may change during the run.
Result<runtime::Prepared> prepare_one(const ir::Program& program, const KernelOptions& options,
                                      Diagnostics& diagnostics, const tune::RacingProgram*& race) {
  std::optional<tune::RaceStart> start;
  auto prepared = TRY(runtime::prepare(
      program, options.device, options.schedule, diagnostics, options.dense, options.stage,
      [&](const runtime::ChosenDevice& chosen) -> std::optional<runtime::KnownLine> {
        const tune::RunAhead run = {options.steps, options.dense, options.stage};
        start = tune::race_start(program, chosen, run);
        return start ? std::optional(start->line) : tune::automatic_line(program, chosen, run);
      }));
  if (!start || !prepared.schedule) return prepared;
  auto racing =
      std::make_unique<tune::RacingProgram>(program, std::move(start->run), *prepared.schedule,
                                            prepared.module, std::move(prepared.loaded));
  race = racing.get();
  prepared.loaded = std::move(racing);
  return prepared;
}

Status check_exchange(const KernelOptions& options) {
  if (options.exchange >= 0) return Done{};
  return Failure{"R095",
                 fmt::format("KernelOptions::exchange is {}, which is not a number of steps",
                             options.exchange),
                 "use 0 to let the model choose"};
}

// The values of integer params, which decomposition needs. R094 if one is open.
Result<std::vector<int64_t>> sizes_of(const ir::Program& program) {
  for (const ir::Param& param : program.params) {
    if (!param.open()) continue;
    return Failure{
        "R094", fmt::format("the grid is cut before its size is known: '{}' is open", param.name),
        "give sizes when the program is read (Options::definitions, -D without --open)"};
  }
  const auto params = TRY(bind(program, {}));
  return params.integers;
}

runtime::KnownSubdomainLines subdomain_lines(const KernelOptions& options) {
  return [&options](const ir::Program& subdomain, const runtime::ChosenDevice& chosen) {
    return tune::automatic_line(subdomain, chosen, {options.steps, false, options.stage});
  };
}

Result<runtime::Prepared> prepare_subdomains(const ir::Program& program,
                                             const KernelOptions& options,
                                             Diagnostics& diagnostics) {
  const auto sizes = TRY(sizes_of(program));
  return runtime::prepare_subdomains(program, sizes, {options.parts, options.exchange},
                                     options.device, options.schedule, diagnostics, options.stage,
                                     subdomain_lines(options));
}

Result<runtime::Prepared> prepare_rank(const ir::Program& program, const KernelOptions& options,
                                       Diagnostics& diagnostics, std::function<Status()>& serve) {
  const auto ranks = joined_ranks();
  if (!ranks) {
    return Failure{"R092", "KernelOptions::ranks without join_ranks()", "call join_ranks() first"};
  }
  const auto sizes = sizes_of(program);
  TRY(runtime::agree(*ranks, sizes.ok() ? Status(Done{}) : sizes.failure()));
  const std::string cuts = options.parts.empty() ? fmt::format("{}", ranks->size()) : options.parts;
  auto made = TRY(runtime::prepare_rank(ranks, ranks->rank_on_node(), program, sizes.value(),
                                        {cuts, options.exchange}, options.device, options.schedule,
                                        diagnostics, options.stage, subdomain_lines(options)));
  serve = std::move(made.serve);
  return std::move(made.prepared);
}

}  // namespace

Result<Kernel> compile(const Program& program, std::shared_ptr<const ProgramData> data,
                       const KernelOptions& options) {
  TRY(check_exchange(options));
  Diagnostics diagnostics;
  std::function<Status()> serve;
  const tune::RacingProgram* race = nullptr;
  auto prepared = options.ranks           ? prepare_rank(data->program, options, diagnostics, serve)
                  : options.parts.empty() ? prepare_one(data->program, options, diagnostics, race)
                                          : prepare_subdomains(data->program, options, diagnostics);
  if (!prepared.ok()) {
    const bool in_program = prepared.failure().code.empty();
    return in_program ? failure_of(data->source, diagnostics) : prepared.failure();
  }
  const runtime::Prepared& made = prepared.value();
  std::string line =
      made.schedule ? schedule::print(*made.schedule, data->program.grid().rank()) : std::string();
  Device device = describe(made.device.info, made.device.device);
  return KernelData::wrap(
      std::make_shared<KernelData>(KernelData{std::move(data), program, std::move(prepared).value(),
                                              std::move(device), line, std::move(serve), race}));
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
    const auto chosen = TRY(runtime::choose_device(name));
    return api::describe(chosen.info, chosen.device);
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

std::optional<ScheduleRace> Kernel::race() const {
  if (!data_->race) return std::nullopt;
  const tune::RaceReport now = data_->race->report();
  const ir::Program& program = data_->source->program;
  return ScheduleRace{
      schedule::print(now.schedule, program.grid().rank()),
      stencil::brief_schedule(now.schedule, program, {data_->prepared.device.device.machine}),
      now.tried,
      now.refused,
      now.changes,
      now.over,
      now.gain,
      now.lost,
      now.saved};
}

bool Kernel::serves() const {
  return data_->serve != nullptr;
}

Status Kernel::serve() const {
  if (!data_->serve)
    return Failure{"R095", "rank 0 controls the run", "call serve() only on the other ranks"};
  return api::guarded<Done>([&] { return data_->serve(); });
}

const std::string& Kernel::parts() const {
  return data_->prepared.subdomains;
}

namespace {

Status drives(const api::KernelData& kernel) {
  if (!kernel.serve) return Done{};
  return Failure{"R095", "this rank serves rank 0; only rank 0 starts simulations",
                 "if (kernel.serves()) return kernel.serve()"};
}

}  // namespace

Result<std::string> Kernel::code(CodeKind kind) const {
  TRY(drives(*data_));
  return api::guarded<std::string>(
      [&] { return data_->prepared.loaded->code(static_cast<runtime::CodeKind>(kind)); });
}
static_assert(static_cast<runtime::CodeKind>(CodeKind::Source) == runtime::CodeKind::Source);
static_assert(static_cast<runtime::CodeKind>(CodeKind::Ptx) == runtime::CodeKind::Ptx);
static_assert(static_cast<runtime::CodeKind>(CodeKind::MachineCode) ==
              runtime::CodeKind::MachineCode);

Result<Simulation> Kernel::start(const ParamValues& values) const {
  auto state = TRY(data_->program.initial_state(values));
  return start(std::move(state));
}

Result<Simulation> Kernel::start(State state) const {
  TRY(drives(*data_));
  return api::guarded<Simulation>([&] { return api::start(data_, std::move(state)); });
}

Result<Simulation> Kernel::attach(const Arrays& arrays, const ParamValues& values,
                                  const std::vector<std::string>& initialise) const {
  TRY(drives(*data_));
  return api::guarded<Simulation>([&] {
    return api::attach(data_, arrays, initialise, api::SimulationData::Arrays::Host, nullptr,
                       values);
  });
}

Result<Simulation> Kernel::attach_device(const Arrays& arrays, void* stream,
                                         const ParamValues& values) const {
  TRY(drives(*data_));
  return api::guarded<Simulation>([&] {
    return api::attach(data_, arrays, {}, api::SimulationData::Arrays::Device, stream, values);
  });
}

}  // namespace stencil
