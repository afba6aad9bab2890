// Devices: what can run a program. An open set: a device is a file of its own and a row in the
// table of device_table.cpp.
//
//   compile  program + kernel module -> machine code     (where that is apart from loading)
//   load     program + kernel module -> LoadedProgram    (compiles; may be started many times)
//   start    LoadedProgram + state   -> Session          (copies fields to the device)
//   advance  steps                                       (as often as wanted)
//   fetch    levels                                      (brings some back into the state)
//   finish                                               (brings all back)
//
// Errors: R041 device not present, R042 compilation failed, R043 the program exceeds a limit of the
// device or its memory, R044 a call of the device's driver failed, R045 the device cannot do it.
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
  std::string name;         // as --device takes it
  std::string description;  // hardware and driver, if available
  bool available = false;
  std::string reason;  // why not, otherwise
  // What it is made of, without the versions of drivers and compilers: "NVIDIA H200". Times
  // measured on hardware of one name are compared.
  std::string hardware = {};
  double hertz = 0;  // of its multiprocessors, at most; 0: not known
};

// Memory of the user's that a session is to work in: addresses as the device's kernels take them.
struct DeviceArrays {
  // [field][component][level]; nothing for a field: the session has memory of its own for it, and
  // takes its values from the state.
  std::vector<std::vector<std::vector<void*>>> fields;
  void* stream = nullptr;  // where work is queued, in the terms of the device's driver
  bool given(int field) const {
    return !fields.empty() && !fields[static_cast<size_t>(field)].empty();
  }
};

class Communicator;
class FieldRows;
struct BoxOfField;
struct FieldFile;

// A run in progress. Dropping it without finish() leaves the fields of its state unspecified.
class Session {
 public:
  virtual ~Session() = default;
  // Runs up to `steps` more steps; returns how many: fewer only if the stop condition held.
  virtual Result<int64_t> advance(int64_t steps) = 0;
  // Brings back the newest `levels[f]` levels of every field f into the state, which gets storage
  // where it has none (start_from), and the run can go on. More than there are: all; a field beyond
  // the end of `levels`: none. A session that works on the state's own memory has nothing to do.
  virtual Status fetch(const std::vector<int>& levels) {
    (void)levels;
    return Done{};
  }
  // The values in a box of a field of the grid, dense, to `to`, wherever they are; the run can go
  // on. False: the session brings back whole levels alone, and fetch() is to be called.
  virtual Result<bool> read(const BoxOfField& /*what*/, std::byte* /*to*/) { return false; }
  // Counts the NaN and infinities in a box of a field in the device's memory; `first` is a position
  // in the box. The run can go on. Nothing if the session has no memory of its own for the field:
  // then call fetch() and count in the state.
  virtual Result<std::optional<NonFiniteCount>> count_non_finite(const BoxOfField& /*what*/) {
    return std::optional<NonFiniteCount>();
  }
  // Brings all levels of all fields back.
  virtual Status finish() = 0;
  // Whose the rows of the fields are, where they lie in several memories. Null: in one, whose
  // fields are fetched by those who want rows of them.
  virtual FieldRows* rows() { return nullptr; }
  // Until what advance() queued is done; only attached sessions return from it before that.
  virtual Status wait() { return Done{}; }
  // What the steps of the last advance() took by the device's own clock, without the time in which
  // they were queued and waited for; nothing if the device has none.
  virtual std::optional<double> seconds() const { return std::nullopt; }
};

// The code that a device runs: what it was compiled from, or to.
enum class CodeKind { Source, Ptx, MachineCode };

// What a kernel takes of the device it is loaded on.
struct KernelResources {
  std::string kernel;
  int registers = 0;         // of a thread
  int64_t local_bytes = 0;   // memory of a thread's own: registers spilled, arrays not in registers
  int64_t shared_bytes = 0;  // of a block
};

class LoadedProgram {
 public:
  virtual ~LoadedProgram() = default;
  // The program's kernels in this form: text, or for machine code what the device's compiler gave
  // (cubin on cuda, the platform's program binary on opencl). R045 if the device has none.
  virtual Result<std::string> code(CodeKind kind) const;
  // What its kernels take, in the order of the module; nothing on a device that does not tell.
  virtual std::vector<KernelResources> resources() const { return {}; }
  // Seconds that the device takes to copy so many bytes (at least 1) of its memory within it, by
  // its own clock if it has one: the quickest of a few copies. R043 without memory for both ends,
  // R044, R045 on a device that does not copy.
  virtual Result<double> copy_seconds(int64_t bytes) const;
  // `state` must outlive the session. Its params are those of the run, its step the first one.
  virtual Result<std::unique_ptr<Session>> start(reference::State& state) const = 0;
  // Whether sessions begin with a state that has no storage for some of its fields: start_from().
  virtual bool starts_unstored() const { return false; }
  // The same for such a state. These fields have their initial values, but for what is in `files`,
  // which has arrays of these fields alone. Also R010, and R060 where a checksum is wrong.
  virtual Result<std::unique_ptr<Session>> start_from(reference::State& state,
                                                      const std::vector<FieldFile>& files) const;
  // The same for a program that is a part of another one (ir::Part): each part is started so, in a
  // thread or process of its own, with a communicator that outlives its session. R045 on a device
  // that cannot do parts.
  virtual Result<std::unique_ptr<Session>> start_part(reference::State& state,
                                                      Communicator& parts) const;
  // The same as start() for one that begins with what `like` has come to, a session of the same
  // program and params on the same device that has done all it was asked for: copied within the
  // device where it keeps fields alike, else as start() has it.
  virtual Result<std::unique_ptr<Session>> start_like(reference::State& state,
                                                      const Session& /*like*/) const {
    return start(state);
  }
  // The same as start() in arrays of the user's, which have no storage in the state: at the end of
  // each advance(), which only queues its work, level k is where it was given. Between calls the
  // user may change them. R045 on a device without pointers, or if the module pads rows.
  virtual Result<std::unique_ptr<Session>> attach(reference::State& state,
                                                  const DeviceArrays& arrays) const;
};

// A program and the kernels made of it, which must outlive what is loaded from them.
struct Job {
  const ir::Program& program;
  const kernel::Module* module;  // null: none; then only a device without runs_kernels can load it
  // What Device::compile made of the module; null: loading compiles it.
  const std::string* machine_code = nullptr;
};

struct Device {
  std::string name;
  bool runs_kernels = true;  // false: interprets the stencil IR
  // `selector` is what follows the colon in "opencl:NAME" or "cuda:1"; empty: any.
  DeviceInfo (*probe)(const std::string& selector);
  Result<std::unique_ptr<LoadedProgram>> (*load)(const Job& job, const std::string& selector);
  schedule::Machine machine = schedule::gpu();  // what schedules are for
  bool takes_pointers = false;                  // LoadedProgram::attach works
  // Compiles without loading, which leaves the device alone: it may be measuring something. Null:
  // only load() compiles. Fails as load() does.
  Result<std::string> (*compile)(const Job& job, const std::string& selector) = nullptr;
  bool takes_selector = false;
  // The machine of the device that `selector` names, where devices differ; null: `machine`.
  schedule::Machine (*machine_of)(const std::string& selector) = nullptr;
};

// True if `selector` is part of `name`, upper and lower case being the same.
bool names_device(const std::string& selector, const std::string& name);

}  // namespace stencil::runtime
