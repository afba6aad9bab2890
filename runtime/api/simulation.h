// The implementation of State and Simulation.
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
#include "runtime/run/non_finite.h"
#include "runtime/run/run.h"
#include "stencil/simulation.h"

namespace stencil::api {

struct SimulationData {
  enum class Arrays { Own, Host, Device };  // location of the user's arrays; Own: none

  std::shared_ptr<const ProgramData> source;
  std::shared_ptr<const KernelData> kernel;  // null: a State without a device
  // store() allocates a grid field when the host first needs its values. Until then its values are
  // those in the session, those in `files`, or the initial ones.
  reference::State state;
  std::vector<runtime::FieldFile> files;  // pending contents of fields without storage
  std::vector<bool> given;                // params that the user gave, by ParamId
  std::vector<std::vector<bool>> filled;  // [field][component]: the user has given values
  Arrays arrays = Arrays::Own;
  runtime::DeviceArrays device_arrays;
  // Arrays::Host: the user's arrays, [field][component][level]; empty for fields without arrays.
  std::vector<std::vector<std::vector<void*>>> homes;
  std::vector<FieldInfo> fields;
  std::vector<Failure> warnings;              // State::warnings()
  double points = 0;                          // number of grid points
  std::unique_ptr<runtime::Session> session;  // refers to `state`; opened on demand
  // While a session is open: how many levels of each field, newest first, are up to date in
  // `state`.
  std::vector<int> present;
  bool captured = false;  // a graph of the user contains steps of the session

  const ir::Program& program() const { return source->program; }
  // Whether the device's kernels work directly in the user's host arrays.
  bool works_in_place() const {
    if (arrays != Arrays::Host) return false;
    const runtime::Device& device = kernel->prepared.device.device;
    return device.takes_pointers && device.machine.in_place;
  }
  // Whether a session stays open between calls. A session on host arrays stays open only if its
  // kernels work in the arrays: it then moves the levels to their arrays at the end of each call.
  // The positions of points are sorted when a session opens, so the user may change them only if
  // each call opens one.
  bool keeps_session() const;
  void describe_places();  // updates positions in `fields` from the state's params
  std::vector<int> all_levels() const;
  // The values at their last evaluations, for the given ReductionIds.
  std::vector<ReductionValue> reduction_values(const std::vector<int>& of) const;
  // Records that the component (-1: all components) was given values.
  void note_filled(ir::FieldId field, int component);
  // R057 if a constant field, series or point set that steps read has no values.
  Status check_inputs() const;
  Result<int64_t> last_step() const;  // last step of the program; R053
  // R073 if a requested field is in device memory of the user. `levels` as for fetch().
  Status check_on_host(const std::vector<int>& levels) const;

  bool is_stored(size_t field) const { return !state.fields[field].levels.empty(); }
  bool all_stored() const;
  // Whether fields may stay without host storage: the user gives no arrays, and the device, if any,
  // can start without it.
  bool may_defer() const;
  // Allocates and fills a field that has no storage. R010, R060.
  Status store(size_t field);
  Status store_all();
  // Takes field values from a file, now or on demand.
  Status take(runtime::FieldFile file);
  // Restores a checkpoint. On failure nothing has changed.
  Status go_on_from(runtime::SavedState saved);

  Status open_session();
  Status wait();
  // Copies the newest `levels[f]` levels of each field f to the state, unless they are present.
  Status fetch(const std::vector<int>& levels);
  // Calls `at` with access to the fields, on the host or on the device.
  Status look(const std::function<Status(runtime::FieldSource&)>& at);
  // Copies a box of a field to `to`, dense; if the session can, only these values leave the device.
  Status read(const runtime::BoxOfField& what, std::byte* to);
  Status close_session();  // fetches all levels; `state` is the only copy afterwards

  // Marks the fields that steps change as newer in the session than in `state`.
  void forget_changed();
  // Takes steps in the open session.
  Result<int64_t> step_session(int64_t steps);
  Result<Report> advance_quietly(int64_t steps);
  Result<Report> execute(int64_t steps, const ProgressCallback& progress,
                         const std::vector<runtime::Event>& events, OnNan on_nan);
  // Opens a session for the call. The session stays open, unless it has to be closed for the user's
  // arrays in host memory to be current after the call (keeps_session()).
  Result<Report> in_session(const std::function<Result<Report>()>& take_steps);
  // execute(), with `check` before and after it unless `on_nan` is Ignore. If `watch` is given, its
  // findings in the output files are added to those of `check`.
  Result<Report> execute_checked(int64_t steps, const ProgressCallback& progress,
                                 std::vector<runtime::Event> events, OnNan on_nan,
                                 runtime::FiniteCheck& check,
                                 const runtime::NonFiniteWatch* watch = nullptr);
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
