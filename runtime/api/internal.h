// What stands behind the classes of runtime/include/stencil: shared, and not for users.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/axes.h"
#include "compiler/reference/state.h"
#include "compiler/support/diagnostic.h"
#include "runtime/non_finite.h"
#include "runtime/outputs.h"
#include "runtime/run.h"
#include "stencil/simulation.h"

namespace stencil::api {

struct ProgramData {
  Source source;
  ir::Program program;
  std::string warnings;
  std::vector<FieldInfo> fields;
  std::vector<ParamInfo> params;
  std::vector<ReductionInfo> reductions;

  static Program wrap(std::shared_ptr<const ProgramData> data) { return Program(std::move(data)); }
};

struct KernelData {
  std::shared_ptr<const ProgramData> source;
  Program program;             // the same, as users see it
  runtime::Prepared prepared;  // refers to the program, and owns the module
  Device device;
  std::string schedule;

  static Kernel wrap(std::shared_ptr<const KernelData> data) { return Kernel(std::move(data)); }
};

// What is behind a State and a Simulation.
struct SimulationData {
  enum class Arrays { Own, Host, Device };  // where the fields that the user gave arrays for lie

  std::shared_ptr<const ProgramData> source;
  std::shared_ptr<const KernelData> kernel;  // null: a state that no device advances
  reference::State state;
  std::vector<bool> given;  // params that were given, by ParamId
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
  Result<int64_t> last_step() const;  // of the run, as the program says; R053
  // R073 if what is asked for is in memory of the user's on the device. `levels` as for fetch().
  Status check_on_host(const std::vector<int>& levels) const;

  Status open_session();
  Status wait();
  // Brings the newest `levels[f]` levels of every field f into the state, where they are not there
  // yet.
  Status fetch(const std::vector<int>& levels);
  Status close_session();  // brings all levels, and what the state becomes counts from here on

  // Steps in the session that is open.
  Result<int64_t> step_session(int64_t steps);
  Result<Report> advance_quietly(int64_t steps);
  Result<Report> execute(int64_t steps, const ProgressCallback& progress,
                         const std::vector<runtime::Event>& events, OnNan on_nan);
  // Calls it with a session open, which stays open unless arrays of the user's have to be current.
  Result<Report> in_session(const std::function<Result<Report>()>& take_steps);
  Result<Report> advance(int64_t steps, const ProgressCallback& progress, OnNan on_nan);
  Result<Report> run(const RunFiles& files, const ProgressCallback& progress, OnNan on_nan);

  static State wrap_state(std::unique_ptr<SimulationData> data) { return State(std::move(data)); }
  static std::unique_ptr<SimulationData> unwrap(State state) { return std::move(state.data_); }
  static Simulation wrap(std::unique_ptr<SimulationData> data) {
    return Simulation(std::move(data));
  }
};

// As users see it.
NonFinite described(const ir::Program& program, const runtime::NonFinite& found);

// The errors among `diagnostics` as a failure: the first by itself, all of them rendered.
Failure failure_of(const Source& source, const Diagnostics& diagnostics);

// The program's entry of that name; R070 with the nearest name if there is none. `kind` for the
// message: "param".
Failure unknown(const std::string& kind, const std::string& name,
                const std::vector<std::string>& known);

// A field, or a part of it, as users name it: "A", "U@-1", "S.u[0]@-1". R070.
struct Place {
  int field = 0;
  int level = 0;
  int component = -1;  // -1: all of them, which are several

  // How many levels of each of the program's fields it takes to read it, the newest first.
  std::vector<int> levels(const ir::Program& program) const;
};
Result<Place> find_place(const ir::Program& program, const std::string& name);

ElementType element_type_of(Scalar type);

// Params of a run: those of the program, with `values` for what is given later. R050, R051, R070,
// R074.
Result<runtime::Params> bind(const ir::Program& program, const ParamValues& values);
// A float param's value; R051.
Result<double> real_value(const ir::Param& param, const std::string& text);

// What is known of a program's fields without values of open params.
std::vector<FieldInfo> describe_fields(const ir::Program& program);
// Fills in position and spacing of fields whose origin is known.
void describe_places(const std::vector<ir::AxisValue>& axes, std::vector<FieldInfo>& fields);

// --- Arrays

// The shape of an array for the place. R073 if its components differ in type.
Result<Extents> shape_at(const ir::Program& program, const reference::FieldData& field,
                         const Place& place);
// Whether the array can stand for the place: R071 shape, R072 type, R073 memory. `exact`: no
// conversion between element types.
Status check_array(const ir::Program& program, const reference::FieldData& field,
                   const Place& place, const std::string& name, const AnyView& array, bool exact);
// Between an array that check_array() has accepted and the field.
void copy_in(const AnyView& array, const Place& place, reference::FieldData& field);
void copy_out(const reference::FieldData& field, const Place& place, const AnyView& array);

// Compiles the program, whose data are `data`.
Result<Kernel> compile(const Program& program, std::shared_ptr<const ProgramData> data,
                       const KernelOptions& options);

// Program::initial_state, Kernel::start with a state, Kernel::attach and attach_device.
Result<State> make_state(std::shared_ptr<const ProgramData> source, const ParamValues& values);
Result<Simulation> start(std::shared_ptr<const KernelData> kernel, State state);
Result<Simulation> attach(std::shared_ptr<const KernelData> kernel, const Arrays& arrays,
                          SimulationData::Arrays where, void* stream, const ParamValues& values);

// --- Files

// Program::check.
Status check(const ir::Program& program, const RunFiles& files);
// Outputs that have passed it, as the runtime writes them; R030 for planes outside of the grid.
Result<std::vector<runtime::Output>> placed(const ir::Program& program,
                                            const reference::State& state,
                                            const std::vector<Output>& outputs);

// A public function's body: what it throws becomes a failure. R046, and R075 for what is a bug.
template <class T, class Body>
Result<T> guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Failure{"R046", "not enough memory", "use smaller sizes (-D)"};
  } catch (const std::exception& exception) {
    return Failure{"R075", std::string("internal error: ") + exception.what(),
                   "this is a bug of the library; please report the program"};
  }
}

}  // namespace stencil::api
