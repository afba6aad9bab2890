// Running a program: compiled once for a device (Kernel), run as often as wanted (Simulation).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stencil/device.h"
#include "stencil/files.h"
#include "stencil/program.h"
#include "stencil/state.h"
#include "stencil/view.h"

namespace stencil {

class Simulation;
namespace api {
struct KernelData;
}

struct KernelOptions {
  std::string device = "auto";  // as choose_device() takes it
  // A line such as "overlapped T=4 block=32x8", or "auto": what was measured to be the fastest, or
  // is timed now if the run is long enough to be worth it (docs/tuning.md), else what rules say.
  std::string schedule = "auto";
  // Kernels for dense arrays, whose rows lie as close as they can: what attach_device() needs.
  // Other simulations may be faster without it.
  bool dense = false;
  // Told what is being done, before it is, for who waits: "compiling heat for host: planes T=4
  // ...".
  std::function<void(const std::string& what)> stage = {};
  // How many steps are going to be taken with it in all, which is what "auto" asks; nothing: as
  // many as the program says.
  std::optional<int64_t> steps = {};
  // The grid is cut into parts: "4" as the model likes, "2x2" along x and y. On cuda each has a GPU
  // of its own ("cuda:0": all share one); elsewhere they share the device. Empty: one device has
  // all.
  std::string parts = {};
  // The parts are ranks of MPI (ranks.h), which all call compile() alike: as many as there are
  // ranks, cut as the model likes unless `parts` says how.
  bool ranks = false;
  int64_t exchange = 0;  // steps between two exchanges among parts; 0: as the model likes
};

// The code of a kernel: what its device compiled, or what that became. Machine code is what the
// device's compiler gave: a cubin on "cuda", the platform's program binary on "opencl".
enum class CodeKind : uint8_t { Source, Ptx, MachineCode };

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
  // The same without most settings at their defaults for this program and device.
  std::string brief_schedule() const;
  // Where "auto" found the schedule, if it was measured before: "tuned: measured at 512x512 on
  // 2026-05-01". Empty for one chosen by rules, or given.
  const std::string& schedule_origin() const;
  // How the grid is cut: "4, cut 2x2 (x first), halos exchanged every 24 steps"; "" on one device.
  const std::string& parts() const;
  // Its code, text or bytes. R045 if the device has none of this kind.
  Result<std::string> code(CodeKind kind) const;

  // With KernelOptions::ranks, on all ranks but 0: does the part of this rank in whatever rank 0
  // does with the kernel, until rank 0 has no copy of it any more. Only rank 0 starts simulations,
  // one at a time. A part that fails in the middle of steps ends all processes, with a message.
  bool serves() const;
  Status serve() const;

  // A run at its first step, with fields of its own at their initial values. Errors: those of
  // Program::initial_state().
  Result<Simulation> start(const ParamValues& values = {}) const;
  // A run that goes on from a state of the same program (R076), or from a simulation on another
  // device. R073 for one in arrays of the user's.
  Result<Simulation> start(State state) const;

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
  int64_t done = 0, total = 0;  // steps of the call of advance() or run()
  double seconds = 0;           // of stepping, as in Report
  double updates = 0;           // grid points updated so far
  double elapsed = 0;           // seconds since the call began, with what it writes
};
// Called a few times a second, between time tiles; false ends the call there.
using ProgressCallback = std::function<bool(const Progress&)>;

// What run() does about NaN. Stop: once a reduction is NaN, the run ends after the time tiles in
// progress (a fraction of a second); files of the run's end are written. Continue: it goes on. In
// both cases fields are checked before the first step and after the last one
// (Report::became_non_finite). Ignore: it goes on, and fields are not checked.
enum class OnNan : uint8_t { Continue, Stop, Ignore };

// What a call of advance() or run() did.
struct Report {
  int64_t steps = 0;         // steps done
  double seconds = 0;        // of stepping, without copies to and from the device; 0: only queued
  double updates = 0;        // steps times points of the grid
  bool interrupted = false;  // the callback ended it
  bool stopped = false;      // the program's stop condition held
  // OnNan::Stop: R080, why it ended, with the place of the reduction that became NaN.
  std::optional<Failure> nan = {};
  // After run() with files: what the outputs show and is NaN or infinite at the end, and the first
  // step at which they were written like that.
  std::vector<NonFinite> non_finite = {};
  // After run(), unless OnNan::Ignore: the computed fields whose newest level is NaN or infinite at
  // some points, although no field was when the call began. Then the scheme has blown up.
  std::vector<NonFinite> became_non_finite = {};
  double gcells_per_second() const { return seconds > 0 ? updates / seconds * 1e-9 : 0; }
};

// A run of a program: a State that a device advances. After a failure of the device (R043, R044)
// its fields are unspecified.
class STENCIL_API Simulation : public State {
 public:
  // Takes `steps` more steps, fewer only if the stop condition holds or `progress` returns false.
  // Time tiles of the schedule begin anew with each call, so many steps per call are faster. After
  // attach_device() the call only queues the steps, unless there is a callback; it waits wherever a
  // stop condition is asked. R043, R044; R053 for a negative number; R057.
  Result<Report> advance(int64_t steps, const ProgressCallback& progress = {});
  // As many as the program says, less those done. R053 if it does not say. After attach_device() a
  // run without files only queues its steps if it has no callback; NaN does not end it, and fields
  // are not checked.
  Result<Report> run(const ProgressCallback& progress = {}, OnNan on_nan = OnNan::Stop);
  // The same, writing files on the way; returns when all is written. Time tiles end where a file is
  // due, which changes no bit, and only what is written leaves the device. A series that goes on
  // keeps the earlier files in its collections. Errors: those of check(), before the first step;
  // those of run() and State::write(), which end the run with the state of that step.
  Result<Report> run(const RunFiles& files, const ProgressCallback& progress = {},
                     OnNan on_nan = OnNan::Stop);
  // Until everything queued is done. R044 if it failed.
  Status wait();

 private:
  friend struct api::SimulationData;
  explicit Simulation(std::unique_ptr<api::SimulationData> data);
};

}  // namespace stencil
