// What stands behind a State and a Simulation.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/reference/state.h"
#include "runtime/api/kernel.h"
#include "runtime/api/program.h"
#include "runtime/io/field_boxes.h"
#include "runtime/io/field_files.h"
#include "runtime/run/checkpoint.h"
#include "runtime/run/run.h"
#include "stencil/simulation.h"

namespace stencil::api {

// What is behind a State and a Simulation.
struct SimulationData {
  enum class Arrays { Own, Host, Device };  // where the fields that the user gave arrays for lie

  std::shared_ptr<const ProgramData> source;
  std::shared_ptr<const KernelData> kernel;  // null: a state that no device advances
  // Fields of the grid have storage once somebody needs their values here: store(). Until then
  // these are the initial ones, but for what `files` has, and a session may have them.
  reference::State state;
  std::vector<runtime::FieldFile> files;  // what fields without storage are to have
  std::vector<bool> given;                // params that were given, by ParamId
  std::vector<std::vector<bool>> filled;  // components that got values here, [field][component]
  Arrays arrays = Arrays::Own;
  runtime::DeviceArrays device_arrays;
  // Arrays::Host: the arrays given, [field][component][level]; nothing for the other fields.
  std::vector<std::vector<std::vector<void*>>> homes;
  std::vector<FieldInfo> fields;
  std::vector<Failure> warnings;              // State::warnings()
  double points = 0;                          // of the grid
  std::unique_ptr<runtime::Session> session;  // refers to `state`; made when it is needed
  // While there is a session: how many levels of each field, the newest first, `state` has as they
  // are.
  std::vector<int> present;

  const ir::Program& program() const { return source->program; }
  // Host memory is what the device's kernels take pointers to.
  bool works_in_place() const {
    if (arrays != Arrays::Host) return false;
    const runtime::Device& device = kernel->prepared.device.device;
    return device.takes_pointers && device.machine.in_place;
  }
  void describe_places();  // of the fields, at the params of the state
  std::vector<int> all_levels() const;
  // As of their last evaluations, by ReductionId.
  std::vector<ReductionValue> reduction_values(const std::vector<int>& of) const;
  // The component, or all of them (-1), has values that are not the program's.
  void note_filled(ir::FieldId field, int component);
  // R057 if steps would read a constant field, series or point set that was given no values.
  Status check_inputs() const;
  Result<int64_t> last_step() const;  // of the run, as the program says; R053
  // R073 if what is asked for is in memory of the user's on the device. `levels` as for fetch().
  Status check_on_host(const std::vector<int>& levels) const;

  bool is_stored(size_t field) const { return !state.fields[field].levels.empty(); }
  bool all_stored() const;
  // Whether fields may stay without storage: who has them next does without.
  bool may_defer() const;
  // Storage and values for a field that has none. R010, R060.
  Status store(size_t field);
  Status store_all();
  // Values of a file for fields, now or when they are needed.
  Status take(runtime::FieldFile file);
  // Becomes what a checkpoint has. On failure nothing has changed.
  Status go_on_from(runtime::SavedState saved);

  Status open_session();
  Status wait();
  // Brings the newest `levels[f]` levels of every field f into the state, where they are not there
  // yet.
  Status fetch(const std::vector<int>& levels);
  // Has somebody look at the fields, wherever they are.
  Status look(const std::function<Status(runtime::FieldSource&)>& at);
  // The values of a box, dense, to `to`, and no more than that where the session can.
  Status read(const runtime::BoxOfField& what, std::byte* to);
  Status close_session();  // brings all levels, and what the state becomes counts from here on

  // Steps in the session that is open.
  Result<int64_t> step_session(int64_t steps);
  Result<Report> advance_quietly(int64_t steps);
  Result<Report> execute(int64_t steps, const ProgressCallback& progress,
                         const std::vector<runtime::Event>& events, OnNan on_nan);
  // Calls it with a session open, which stays open unless arrays of the user's have to be current.
  Result<Report> in_session(const std::function<Result<Report>()>& take_steps);
  // execute(), with the check of fields before and after it unless `on_nan` is Ignore.
  Result<Report> execute_checked(int64_t steps, const ProgressCallback& progress,
                                 std::vector<runtime::Event> events, OnNan on_nan);
  Result<Report> advance(int64_t steps, const ProgressCallback& progress, OnNan on_nan);
  Result<Report> run(const RunFiles& files, const ProgressCallback& progress, OnNan on_nan);

  static const SimulationData& of(const State& state) { return *state.data_; }
  static State wrap_state(std::unique_ptr<SimulationData> data) { return State(std::move(data)); }
  static std::unique_ptr<SimulationData> unwrap(State state) { return std::move(state.data_); }
  static Simulation wrap(std::unique_ptr<SimulationData> data) {
    return Simulation(std::move(data));
  }
};

}  // namespace stencil::api
