// Running a program: compiled once for a device (Kernel), run as often as wanted (Simulation).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stencil/device.h"
#include "stencil/program.h"
#include "stencil/view.h"

namespace stencil {

class Simulation;
namespace api {
struct KernelData;
struct SimulationData;
}  // namespace api

struct KernelOptions {
  std::string device = "auto";    // as choose_device() takes it
  std::string schedule = "auto";  // or a line such as "overlapped T=4 block=32x8"
  // Kernels for dense arrays, whose rows lie as close as they can: what attach_device() needs.
  // Other simulations may be faster without it.
  bool dense = false;
};

// Arrays for fields, by name: "A", "U@-1" (a level), "S.rho", "S.u[0]@-1" (a component).
using Arrays = std::vector<std::pair<std::string, AnyView>>;

// A program compiled for one device. A value: copies share the code. Threads may use one Kernel,
// and simulations made of it, at the same time.
class STENCIL_API Kernel {
 public:
  const Program& program() const;
  const Device& device() const;
  // The schedule as one line, which KernelOptions::schedule takes; empty on "reference".
  const std::string& schedule() const;

  // A run at its first step, with fields of its own at their initial values. R050, R051, R070 and
  // R074 for values that are missing, malformed, of no param, or already part of the code; R052 and
  // R046 if there is not enough memory; the codes of checks that do not hold at these sizes.
  Result<Simulation> start(const ParamValues& values = {}) const;

  // A run that works in arrays of the user's in host memory. Each has the shape and type of its
  // field, is dense and row-major, and must outlive the simulation. Every level of a field needs
  // one, and every component if it has several. Fields without arrays have memory of their own, at
  // their initial values; the contents of arrays given are not initialised.
  //
  // Between calls the arrays hold the newest level where "A" was given, the one before where "A@-1"
  // was, and so on, and the user may change them. Devices "host" and "reference" work in them;
  // others copy them in and out with each call of advance().
  // Errors: those of start(), R070 to R073.
  Result<Simulation> attach(const Arrays& arrays, const ParamValues& values = {}) const;

  // The same with pointers to the device's memory, never read on the host, and asynchronous:
  // advance() queues its work on `stream` and returns. For "cuda" these are addresses in the GPU's
  // primary context (cudaMalloc), at multiples of 32 bytes, and `stream` is a cudaStream_t or
  // CUstream, null being the default stream; for "host", addresses in host memory, and no stream:
  // its calls return when the steps are done. Nothing is copied to or from the host. Each call of
  // advance() queues copies on the device as well: at its beginning, of a written field's newest
  // level into the library's spare copy, since the user may have changed it; at its end, of levels
  // that stand elsewhere than they were given. Take many steps per call.
  // The GPU's primary context is current in the calling thread afterwards.
  // Errors: those of attach(); R045 if the device does not take pointers, or its rows are padded
  // (KernelOptions::dense).
  Result<Simulation> attach_device(const Arrays& arrays, void* stream,
                                   const ParamValues& values = {}) const;

 private:
  friend struct api::KernelData;
  explicit Kernel(std::shared_ptr<const api::KernelData> data) : data_(std::move(data)) {}
  std::shared_ptr<const api::KernelData> data_;
};

struct Progress {
  int64_t done = 0, total = 0;  // steps of the call of advance()
  double seconds = 0;           // since its first step began
  double updates = 0;           // grid points updated so far
};
// Called a few times a second, between time tiles; false ends the call there.
using ProgressCallback = std::function<bool(const Progress&)>;

// What a call of advance() did.
struct Report {
  int64_t steps = 0;         // steps done
  double seconds = 0;        // of stepping, without copies to and from the device; 0: only queued
  double updates = 0;        // steps times points of the grid
  bool interrupted = false;  // the callback ended it
  bool stopped = false;      // the program's stop condition held
  double gcells_per_second() const { return seconds > 0 ? updates / seconds * 1e-9 : 0; }
};

struct ReductionValue {
  std::string name;
  double value = 0;         // of the last evaluation
  int64_t integer = 0;      // the same exactly, if the type is Int or Long
  int64_t evaluations = 0;  // 0: there is no value yet
};

// Of the newest level of one component. All but the counts are over the points that are not NaN.
struct Statistics {
  int64_t points = 0, nans = 0;
  double least = 0, greatest = 0, mean = 0;
  double l2 = 0;  // square root of the sum of squares
};

// A run of a program. One thread at a time may use a Simulation; different ones are independent.
// After a failure of the device (R043, R044) its fields are unspecified.
class STENCIL_API Simulation {
 public:
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  // Every field, with its shape.
  const std::vector<FieldInfo>& fields() const;

  // Copies an array into a field, or into one level or component of it (see Arrays). The array has
  // the field's shape, with the components as one more, last dimension if there are several and
  // they share a type, and the component's element type. Strides are free. Half and bfloat may also
  // be given as float, which is rounded to nearest even.
  // A field that is set in the middle of a run costs a device with memory of its own a copy of all
  // fields to the host and back. R070 to R073.
  Status set(const std::string& field, const AnyView& array);
  // The inverse. Waits for what is queued.
  Status get(const std::string& field, const AnyView& array);
  // The same into a new dense array.
  template <class T>
  Result<std::vector<T>> get(const std::string& field) {
    const Result<Extents> shape = shape_of(field);
    if (!shape.ok()) return shape.failure();
    int64_t count = 1;
    for (const int64_t extent : shape.value()) count *= extent;
    std::vector<T> values(static_cast<size_t>(count));
    const Status copied = get(field, View<T>(values, shape.value()));
    if (!copied.ok()) return copied.failure();
    return values;
  }
  // The shape that an array for set() or get() has.
  Result<Extents> shape_of(const std::string& field) const;

  // Changes a float param between calls of advance(). R070, R051; R074 for one that is part of the
  // code or an integer, which sizes may depend on.
  Status set_param(const std::string& name, const ParamValue& value);

  // Takes `steps` more steps, fewer only if the stop condition holds or `progress` returns false.
  // Time tiles of the schedule begin anew with each call, so many steps per call are faster. After
  // attach_device() the call only queues the steps, unless there is a callback; it waits wherever a
  // stop condition is asked. R043, R044; R053 for a negative number.
  Result<Report> advance(int64_t steps, const ProgressCallback& progress = {});
  // As many as the program says, less those done. R053 if it does not say.
  Result<Report> run(const ProgressCallback& progress = {});
  // Until everything queued is done. R044 if it failed.
  Status wait();

  int64_t step() const;  // steps done since the start
  bool stopped() const;  // the stop condition held; no further steps are taken

  // The program's reductions, as of the last evaluation. Waits for what is queued. R070, R044.
  Result<std::vector<ReductionValue>> reductions();
  Result<ReductionValue> reduction(const std::string& name);

  // Of a field with one component, or of a component. R070, R073.
  Result<Statistics> statistics(const std::string& field);

 private:
  friend struct api::SimulationData;
  explicit Simulation(std::unique_ptr<api::SimulationData> data);
  std::unique_ptr<api::SimulationData> data_;
};

}  // namespace stencil
