// A device is anything that can run a program. Each device is one file and one row in the table of
// device_table.cpp, so others can be added.
//
//   compile  program + kernel module -> machine code     (if separate from loading)
//   load     program + kernel module -> LoadedProgram    (compiles; can be started many times)
//   start    LoadedProgram + state   -> Session          (copies fields to the device)
//   advance  takes steps                                 (repeatedly)
//   fetch    copies some levels to the state             (repeatedly)
//   finish   copies all levels to the state
//
// Errors: R041 device not present, R042 compilation failed, R043 a limit or the memory of the
// device is exceeded, R044 a driver call failed, R045 the device does not support the operation.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "compiler/schedule/schedule.h"
#include "runtime/io/non_finite_count.h"
#include "stencil/result.h"

namespace stencil::runtime {

struct DeviceInfo {
  std::string name;         // as for --device
  std::string description;  // hardware and driver, if available
  bool available = false;
  std::string reason;  // why it is not available
  // The hardware without driver and compiler versions: "NVIDIA H200". Measured times are compared
  // only between devices with the same value.
  std::string hardware = {};
  double hertz = 0;  // maximum clock of its multiprocessors; 0: unknown
};

// User memory in which a session works, as addresses for the device's kernels.
struct DeviceArrays {
  // [field][component][level]; empty for a field in the session's own memory, filled from the
  // state.
  std::vector<std::vector<std::vector<void*>>> fields;
  void* stream = nullptr;  // queue for the work, as a handle of the device's driver
  bool given(int field) const { return !fields.empty() && !fields[field].empty(); }
};

class Communicator;
class FieldRows;
struct BoxOfField;
struct FieldFile;

// A running simulation. Destroying it without finish() leaves the state's fields unspecified.
class Session {
 public:
  virtual ~Session() = default;
  // Takes up to `steps` more steps and returns how many; fewer only if the stop condition held.
  virtual Result<int64_t> advance(int64_t steps) = 0;
  // Copies the newest `levels[f]` levels of each field f to the state, allocating storage there if
  // needed (start_from); the run can continue. Larger numbers mean all levels; fields beyond the
  // end of `levels` are not copied. A no-op if the session works in the state's own memory.
  virtual Status fetch(const std::vector<int>& levels) {
    (void)levels;
    return Done{};
  }
  // Copies the values in a box of a grid field to `to`, dense; the run can continue. False: the
  // session can only copy whole levels, so the caller must use fetch().
  virtual Result<bool> read(const BoxOfField& /*what*/, std::byte* /*to*/) { return false; }
  // Counts NaN and infinities in a box of a field in device memory; `first` is a position in the
  // box. The run can continue. nullopt if the session has no memory of its own for the field: then
  // call fetch() and count in the state.
  virtual Result<std::optional<NonFiniteCount>> count_non_finite(const BoxOfField& /*what*/) {
    return std::optional<NonFiniteCount>();
  }
  // Copies all levels of all fields to the state.
  virtual Status finish() = 0;
  // Access to the rows of the fields if these are distributed over several memories. Null: the
  // fields are in one memory; use fetch().
  virtual FieldRows* rows() { return nullptr; }
  // Waits until all steps of advance() are done. advance() may return before that only in attached
  // sessions.
  virtual Status wait() { return Done{}; }
  // Whether the user captures the stream of an attached session in a graph. advance() then queues
  // its work for the graph, and leaves the state as it is.
  virtual bool is_captured() const { return false; }
  // Time of the steps of the last advance() by the device's clock, without queueing and waiting;
  // nullopt if the device has no clock.
  virtual std::optional<double> seconds() const { return std::nullopt; }
};

// Forms of a device's code: source or compiled code.
enum class CodeKind { Source, Ptx, MachineCode };

// Resources of a kernel on the device where it is loaded.
struct KernelResources {
  std::string kernel;
  int registers = 0;         // per thread
  int64_t local_bytes = 0;   // per thread: spills, arrays not in registers
  int64_t shared_bytes = 0;  // per block
};

class LoadedProgram {
 public:
  virtual ~LoadedProgram() = default;
  // The program's kernels in this form, as text or machine code (cubin on cuda, the platform's
  // program binary on opencl). R045 if the device has none.
  virtual Result<std::string> code(CodeKind kind) const;
  // Resources of the kernels, in module order; empty if the device does not report them.
  virtual std::vector<KernelResources> resources() const { return {}; }
  // Seconds to copy `bytes` (at least 1) within device memory, by the device's clock if it has one:
  // the fastest of a few copies. R043 if memory for source and destination does not suffice, R044,
  // R045 if the device does not copy.
  virtual Result<double> copy_seconds(int64_t bytes) const;
  // `state` must outlive the session. It provides the run's params and first step.
  virtual Result<std::unique_ptr<Session>> start(reference::State& state) const = 0;
  // Whether start_from() accepts a state without storage for some fields.
  virtual bool starts_unstored() const { return false; }
  // Starts from a state without storage for some fields. These fields get their initial values and
  // then the arrays in `files`; `files` may contain no other fields. Errors: those of start(),
  // R010, and R060 for a wrong checksum.
  virtual Result<std::unique_ptr<Session>> start_from(reference::State& state,
                                                      const std::vector<FieldFile>& files) const;
  // Starts a program that is a subdomain of another one (ir::Subdomain). Each subdomain is started
  // like this, in its own thread or process, with a communicator that outlives the session. R045 if
  // the device does not support it.
  virtual Result<std::unique_ptr<Session>> start_subdomain(reference::State& state,
                                                           Communicator& communicator) const;
  // Like start(), but with the current values of `like`, an idle session of the same program and
  // params on the same device. Copies within the device if both sessions have the same memory
  // layout, otherwise from `state`.
  virtual Result<std::unique_ptr<Session>> start_like(reference::State& state,
                                                      const Session& /*like*/) const {
    return start(state);
  }
  // Like start(), but continues the run of `giver`, an idle session of the same program and params
  // on the same device, which works on the same state. On success `giver` must only be destroyed;
  // on failure it can go on. Takes over its memory where both sessions have the same layout, so
  // that nothing is copied, and otherwise copies within the device if the device can.
  virtual Result<std::unique_ptr<Session>> take_over(reference::State& state, Session& giver) const;
  // Like start(), but works in user arrays, which have no storage in the state. advance() only
  // queues its work; once that work is done, level k is in the array given for it. The user may
  // change the arrays between calls. R045 on a device without pointers, or if the module pads rows.
  virtual Result<std::unique_ptr<Session>> attach(reference::State& state,
                                                  const DeviceArrays& arrays) const;
};

// A program and its kernels; both must outlive the programs loaded from them.
struct Job {
  const ir::Program& program;
  const kernel::Module* module;  // null: none; only a device without runs_kernels can load it
  // result of Device::compile; null: load() compiles
  const std::string* machine_code = nullptr;
};

struct Device {
  std::string name;
  bool runs_kernels = true;  // false: interprets the stencil IR
  // `selector` is the part after the colon in "opencl:NAME" or "cuda:1"; empty: any device.
  DeviceInfo (*probe)(const std::string& selector);
  Result<std::unique_ptr<LoadedProgram>> (*load)(const Job& job, const std::string& selector);
  schedule::Machine machine = schedule::gpu();  // default machine for schedules
  bool takes_pointers = false;                  // supports LoadedProgram::attach
  // Compiles without using the device, which may be busy with a measurement. Null: only load()
  // compiles. Fails as load() does.
  Result<std::string> (*compile)(const Job& job, const std::string& selector) = nullptr;
  bool takes_selector = false;
  // The machine of the device named by `selector`, if devices differ; null: `machine`.
  schedule::Machine (*machine_of)(const std::string& selector) = nullptr;
};

// Whether `selector` is part of `name`, ignoring case.
bool names_device(const std::string& selector, const std::string& name);

}  // namespace stencil::runtime
