// Starts a run: params, checks, and memory, either the run's own or the user's.
//
// User arrays in host memory become the buffers of the state. Fields in device arrays have no host
// buffers; the session gets the addresses.
#include "runtime/api/attach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/ir/passes.h"
#include "compiler/reference/interpreter.h"
#include "compiler/support/try.h"
#include "runtime/api/arrays.h"

namespace stencil::api {

namespace {

using Where = SimulationData::Arrays;

constexpr uintptr_t kDeviceAlignment = 32;  // bytes; vector accesses of kernels rely on it

// The user's array for one level of one component.
struct Given {
  Place place;
  std::string name;
  std::byte* memory = nullptr;
  int64_t bytes = 0;
};

// Whether kernels can work directly in the array. It must be dense, row-major and aligned, and not
// const if kernels write it.
Status check_usable(const Given& given, const AnyView& array, bool written, Where where) {
  int64_t dense = 1;
  for (size_t d = array.extents().size(); d-- > 0; dense *= array.extents()[d]) {
    if (array.strides()[d] == dense || array.extents()[d] <= 1) continue;
    return Failure{
        "R073",
        fmt::format(
            "the array for '{}' is not dense and row-major, so kernels cannot use it in place",
            given.name),
        "copy it with Simulation::set and get"};
  }
  const uintptr_t alignment =
      where == Where::Device ? kDeviceAlignment : static_cast<uintptr_t>(size_of(array.type()));
  if (reinterpret_cast<uintptr_t>(given.memory) % alignment != 0) {
    return Failure{"R073",
                   fmt::format("the array for '{}' does not start at a multiple of {} bytes",
                               given.name, alignment),
                   ""};
  }
  if (!written || array.writable()) return Done{};
  return Failure{
      "R073",
      fmt::format("the array for '{}' is const, but the program writes the field", given.name), ""};
}

Status check_overlaps(const ir::Program& program, const std::vector<Given>& all) {
  for (const Given& a : all) {
    for (const Given& b : all) {
      const bool apart = a.memory + a.bytes <= b.memory || b.memory + b.bytes <= a.memory;
      if (&a == &b || apart || !ir::changes(program, a.place.field)) continue;
      return Failure{"R073", fmt::format("the arrays for '{}' and '{}' overlap", a.name, b.name),
                     ""};
    }
  }
  return Done{};
}

Result<std::vector<Given>> check_arrays(const ir::Program& program, const reference::State& state,
                                        const Arrays& arrays, Where where) {
  std::vector<Given> out;
  for (const auto& [name, array] : arrays) {
    const auto place = TRY(find_place(program, name));
    const auto& field = state.fields[place.field];
    if (place.component < 0) {
      const ir::Field& source = program.fields[place.field];
      return Failure{
          "R073",
          fmt::format("kernels keep each component of field '{}' in a separate array", name),
          fmt::format("give one array per component, such as {}{}", source.name,
                      source.components[0].path)};
    }
    TRY(check_array(program, field, place, name, array, true));
    Given given{place, name, static_cast<std::byte*>(array.data()),
                field.size_in_bytes(place.component)};
    const bool written = ir::changes(program, given.place.field);
    TRY(check_usable(given, array, written, where));
    out.push_back(std::move(given));
  }
  TRY(check_overlaps(program, out));
  return out;
}

// The arrays of a field as [component][level]. Empty if the user gives none; otherwise the user
// must give all of them.
Result<std::vector<std::vector<void*>>> collect(const ir::Program& program, size_t field,
                                                const std::vector<Given>& all) {
  const ir::Field& source = program.fields[field];
  std::vector<std::vector<void*>> out;
  for (const Given& given : all) {
    if (static_cast<size_t>(given.place.field) != field) continue;
    out.resize(source.components.size(),
               std::vector<void*>(static_cast<size_t>(source.history), nullptr));
    void*& memory = out[given.place.component][given.place.level];
    if (memory != nullptr) {
      return Failure{"R073", fmt::format("there are two arrays for '{}'", given.name), ""};
    }
    memory = given.memory;
  }
  for (size_t c = 0; c < out.size(); ++c) {
    const auto missing = std::find(out[c].begin(), out[c].end(), nullptr);
    if (missing == out[c].end()) continue;
    const auto level = missing - out[c].begin();
    return Failure{
        "R073",
        fmt::format("there is no array for '{}{}{}'", source.name, source.components[c].path,
                    level == 0 ? std::string() : fmt::format("@-{}", level)),
        "give an array for every level of every component of a field, or for none"};
  }
  return out;
}

// The number of the field with exactly this name.
Result<size_t> find_field(const ir::Program& program, const std::string& name) {
  std::vector<std::string> names;
  for (const ir::Field& field : program.fields) names.push_back(field.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return unknown("field", name, names);
  return static_cast<size_t>(found - names.begin());
}

// Gives every field memory: the user's array, or its own memory with its initial values. The user's
// arrays of the fields in `initialise` also get the initial values.
Status provide_memory(const std::vector<Given>& all, const std::vector<bool>& initialise,
                      SimulationData& simulation) {
  const ir::Program& program = simulation.program();
  reference::State& state = simulation.state;
  simulation.homes.resize(state.fields.size());
  for (size_t f = 0; f < state.fields.size(); ++f) {
    auto given = TRY(collect(program, f, all));
    const auto id = static_cast<ir::FieldId>(f);
    reference::FieldData& field = state.fields[f];
    const bool on_device = simulation.arrays == Where::Device;
    if (on_device || simulation.works_in_place()) {
      // The host reads the positions of points, so in host memory they stay with the state.
      const bool with_state = !on_device && program.fields[f].is_point_set();
      simulation.device_arrays.fields.push_back(with_state ? decltype(given)() : given);
    }
    if (!given.empty() && !initialise[f]) simulation.note_filled(id, -1);
    if (on_device && !given.empty()) continue;
    for (size_t c = 0; c < given.size(); ++c) {
      const auto bytes = static_cast<size_t>(field.size_in_bytes(static_cast<int>(c)));
      field.levels.resize(given[c].size());
      for (size_t l = 0; l < field.levels.size(); ++l) {
        auto* memory = static_cast<std::byte*>(given[c][l]);
        if (initialise[f]) std::memset(memory, 0, bytes);
        field.levels[l].push_back(reference::Buffer::borrow(memory, bytes));
      }
    }
    reference::provide(program, id, state);
    if (given.empty() || initialise[f]) reference::initialise(program, id, state);
    simulation.homes[f] = std::move(given);
  }
  return Done{};
}

}  // namespace

namespace {

// A run at its first step, without memory for its fields.
Result<std::unique_ptr<SimulationData>> lay_out(std::shared_ptr<const ProgramData> source,
                                                const ParamValues& values) {
  const ir::Program& program = source->program;
  const auto params = TRY(bind(program, values));
  const Diagnostics failed = ir::failed_checks(program, params.integers, params.reals);
  if (failed.has_errors()) return failure_of(source->source, failed);
  std::string error;
  auto state = reference::lay_out(program, params.integers, params.reals, error);
  if (!state) return Failure{"R052", "the fields cannot be allocated: " + error, ""};

  auto data = std::make_unique<SimulationData>();
  data->source = std::move(source);
  data->state = std::move(*state);
  data->given = params.given;
  for (const ir::Field& field : program.fields) {
    data->filled.emplace_back(field.components.size(), false);
  }
  data->fields = data->source->fields;
  for (size_t f = 0; f < data->fields.size(); ++f) {
    FieldInfo& info = data->fields[f];
    info.shape = data->state.fields[f].extents;
    info.origin.clear();
    for (const auto& [low, high] : data->state.fields[f].box) info.origin.push_back(low);
  }
  data->describe_places();
  const auto box = reference::concrete(program.grid(), data->state.integer_params);
  const auto points = box ? reference::count_points(*box) : std::nullopt;
  data->points = static_cast<double>(points.value_or(0));
  return data;
}

}  // namespace

Result<State> make_state(std::shared_ptr<const ProgramData> source, const ParamValues& values) {
  auto data = TRY(lay_out(std::move(source), values));
  for (size_t f = 0; f < data->state.fields.size(); ++f) {
    if (!data->program().fields[f].read_in_place()) continue;
    TRY(data->store(f));
  }
  return SimulationData::wrap_state(std::move(data));
}

Result<Simulation> start(std::shared_ptr<const KernelData> kernel, State state) {
  auto data = SimulationData::unwrap(std::move(state));
  if (data->source != kernel->source) {
    return Failure{"R076",
                   fmt::format("the state and the kernel of '{}' belong to different programs",
                               kernel->source->program.name),
                   "create both from the same Program"};
  }
  if (data->arrays != Where::Own) {
    return Failure{"R073", "the state uses the user's arrays, which only one simulation may use",
                   "start one with Kernel::attach"};
  }
  TRY(data->close_session());
  data->kernel = std::move(kernel);
  TRY(data->may_defer() ? Done{} : data->store_all());
  return SimulationData::wrap(std::move(data));
}

Result<Simulation> attach(std::shared_ptr<const KernelData> kernel, const Arrays& arrays,
                          const std::vector<std::string>& initialise, Where where, void* stream,
                          const ParamValues& values) {
  auto laid_out = TRY(lay_out(kernel->source, values));
  auto data = std::move(laid_out);
  data->kernel = std::move(kernel);
  data->arrays = where;
  data->device_arrays.stream = stream;
  const auto given = TRY(check_arrays(data->program(), data->state, arrays, where));
  std::vector<bool> initialised(data->state.fields.size(), false);
  for (const std::string& name : initialise) {
    initialised[TRY(find_field(data->program(), name))] = true;
  }
  TRY(provide_memory(given, initialised, *data));
  // If the device cannot use the arrays, report it here and not at the first step.
  TRY(where == Where::Device ? data->open_session() : Status(Done{}));
  return SimulationData::wrap(std::move(data));
}

}  // namespace stencil::api
