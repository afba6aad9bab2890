// Running programs: a Kernel is compiled once for a device; a Simulation is one run of it.
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
  std::string device = "auto";  // as for choose_device()
  // A schedule line such as "overlapped T=4 block=32x8", or "auto": the fastest measured schedule.
  // If none was measured, "auto" tries schedules while the run advances, or before it, if the run
  // is long enough to pay for it (docs/guide/tuning.md); otherwise it uses the model's choice.
  std::string schedule = "auto";
  // Compile for dense arrays, that is, without padded rows. attach_device() requires it. Other
  // simulations may be faster without it.
  bool dense = false;
  // Called before each stage of the work, with a text for users: "compiling heat for host: planes
  // T=4 ...".
  std::function<void(const std::string& what)> stage = {};
  // Total number of steps that the kernel will take, which "auto" uses; absent: the program's
  // number.
  std::optional<int64_t> steps = {};
  // Split the grid into subdomains: "4" lets the model choose the cuts, "2x2" cuts along x and y.
  // On "cuda" each subdomain gets its own GPU (with "cuda:0", all share one); on other devices they
  // share the device. Empty: no split.
  std::string parts = {};
  // The subdomains are MPI ranks (ranks.h), one per rank; all ranks call compile() with the same
  // arguments. The model chooses the cuts unless `parts` gives them.
  bool ranks = false;
  int64_t exchange = 0;  // steps between two halo exchanges; 0: chosen by the model
};

// The code of a kernel: the source given to the device's compiler, or its output. Machine code is a
// cubin on "cuda" and the platform's program binary on "opencl".
enum class CodeKind : uint8_t { Source, Ptx, MachineCode };

// Arrays for fields, by name: "A", "U@-1" (a level), "S.rho", "S.u[0]@-1" (a component).
using Arrays = std::vector<std::pair<std::string, AnyView>>;

// The schedules of a run that "auto" chooses while the run advances (docs/guide/tuning.md). Results
// do not depend on them.
struct ScheduleRace {
  std::string schedule;  // that takes the steps now; valid for KernelOptions::schedule
  std::string brief;     // the same as Kernel::brief_schedule()
  int tried = 0;         // schedules, besides the first
  int refused = 0;       // further ones that the device refused
  int changes = 0;       // of the schedule
  bool over = false;     // no schedule will be tried any more
  double gain = 1;       // speed with the present schedule over that with the first one
  double lost = 0;       // seconds that trials took more than the same steps otherwise
  double saved = 0;      // seconds saved so far by changes
};

// A program compiled for one device. A value type: copies share the code. Threads may use a Kernel
// and its simulations concurrently.
class STENCIL_API Kernel {
 public:
  const Program& program() const;
  const Device& device() const;
  // The schedule as one line, valid for KernelOptions::schedule; empty on "reference". If race() is
  // given, the schedule that runs begin with.
  const std::string& schedule() const;
  // schedule() without most of the settings that have their default for this program and device.
  std::string brief_schedule() const;
  // Origin of an "auto" schedule that was measured before: "tuned: measured at 512x512 on
  // 2026-05-01". Empty if the model chose it or the caller gave it.
  const std::string& schedule_origin() const;
  // Present if "auto" chooses the schedule while a run advances. The destructor of the last copy of
  // the kernel then waits for compilations in progress. Thread-safe.
  std::optional<ScheduleRace> race() const;
  // How the grid is split: "4, cut 2x2 (x first), halos exchanged every 24 steps"; "" if not split.
  const std::string& parts() const;
  // The code as text or bytes. R045 if the device has no code of this kind.
  Result<std::string> code(CodeKind kind) const;

  // With KernelOptions::ranks: true on all ranks but 0. serve() does this rank's share of
  // everything rank 0 does with the kernel and returns once rank 0 holds no copy of it. Only rank 0
  // starts simulations, one at a time. If a rank fails during steps, all processes end with a
  // message.
  bool serves() const;
  Status serve() const;

  // A run at step 0 with its own fields at their initial values. Errors: those of
  // Program::initial_state().
  Result<Simulation> start(const ParamValues& values = {}) const;
  // A run that continues from a state, or from a simulation on any device. R076 if the state is not
  // of the same program; R073 if its fields are in user arrays.
  Result<Simulation> start(State state) const;

  // A run that works in user arrays in host memory. Each array has the shape and type of its field,
  // is dense and row-major, and must outlive the simulation. A field needs one array per level and
  // per component. Fields without arrays get memory of their own, at their initial values. The
  // contents of the given arrays are used as they are, except that all arrays of the fields named
  // in `initialise` are first set to the initial values of the program.
  //
  // Between calls, the array given for "A" holds the newest level, the one for "A@-1" the level
  // before, and so on; the user may change them. "host" and "reference" work in the arrays; other
  // devices copy them in and out on each advance(). Errors: those of start(), R070 to R073.
  Result<Simulation> attach(const Arrays& arrays, const ParamValues& values = {},
                            const std::vector<std::string>& initialise = {}) const;

  // attach() with pointers to device memory. It is asynchronous: advance() queues its work on
  // `stream` and returns. No data is copied to or from the host.
  //
  // "cuda": addresses in the GPU's primary context (cudaMalloc), aligned to 32 bytes. `stream` is a
  // cudaStream_t or CUstream; null is the default stream. The primary context is current in the
  // calling thread afterwards. "host": addresses in host memory, no stream; calls return when the
  // steps are done.
  //
  // Each advance() also queues copies within the device. At its beginning it copies the newest
  // level of each written field to the library's spare copy, because the user may have changed that
  // level. At its end it copies levels that are not in the array given for them. So take many steps
  // per call.
  //
  // While `stream` is being captured (cudaStreamBeginCapture), advance() queues its steps for the
  // graph and takes none itself. R047, before anything is queued, for programs whose steps need the
  // host: a stop condition, reductions that no step reads, `time`, or `start` at step 0. wait() and
  // calls that read values are then refused too. The simulation must outlive the graph, and refuses
  // new values of fields and params, since the graph uses its memory.
  //
  // Errors: those of attach(); R045 if the device does not take pointers, or if the kernel pads
  // rows (KernelOptions::dense); R047 if `stream` is being captured.
  Result<Simulation> attach_device(const Arrays& arrays, void* stream,
                                   const ParamValues& values = {}) const;

 private:
  friend struct api::KernelData;
  explicit Kernel(std::shared_ptr<const api::KernelData> data) : data_(std::move(data)) {}
  std::shared_ptr<const api::KernelData> data_;
};

struct Progress {
  int64_t done = 0, total = 0;  // steps of this advance() or run()
  double seconds = 0;           // spent in steps, as in Report
  double updates = 0;           // grid points updated so far
  double elapsed = 0;           // seconds since the call began, including file output
};
// Called a few times per second, between time tiles; returning false ends the call there.
using ProgressCallback = std::function<bool(const Progress&)>;

// How run() handles NaN. Stop: once a reduction is NaN, the run ends after the time tiles in flight
// (a fraction of a second) and still writes its final files. Continue: the run goes on. In both
// cases fields are checked before the first and after the last step (Report::became_non_finite).
// Ignore: the run goes on and fields are not checked.
enum class OnNan : uint8_t { Continue, Stop, Ignore };

// What an advance() or run() did.
struct Report {
  int64_t steps = 0;         // steps taken
  double seconds = 0;        // spent in steps, without host-device copies; 0 if only queued
  double updates = 0;        // steps times grid points
  bool interrupted = false;  // the callback ended it
  bool stopped = false;      // the program's stop condition held
  // With OnNan::Stop: R080 if a NaN ended the run, with the place of the reduction.
  std::optional<Failure> nan = {};
  // After run() with files: the fields in the outputs that are NaN or infinite at the end, and the
  // first step at which such values were written.
  std::vector<NonFinite> non_finite = {};
  // After run(), unless OnNan::Ignore: computed fields, profiles and records with NaN or infinite
  // values, and infinite reductions, at the end or in a file of the run. Empty if there were such
  // values when the call began, so any entry means that the scheme has blown up.
  std::vector<NonFinite> became_non_finite = {};
  double gcells_per_second() const { return seconds > 0 ? updates / seconds * 1e-9 : 0; }
};

// A run of a program: a State that a device advances. After a device failure (R043, R044) its
// fields are unspecified.
class STENCIL_API Simulation : public State {
 public:
  // Takes `steps` more steps; fewer only if the stop condition holds or `progress` returns false.
  // Each call starts new time tiles, so few calls with many steps are faster. After attach_device()
  // the call only queues the steps, unless there is a callback or a stop condition. It waits at
  // each evaluation of the stop condition. Errors: R043, R044; R053 for a negative number; R057.
  Result<Report> advance(int64_t steps, const ProgressCallback& progress = {});
  // Takes the steps that remain of the program's number. R053 if the program gives none. After
  // attach_device(), a run without files and callback only queues its steps; NaN does not end it,
  // and fields are not checked.
  Result<Report> run(const ProgressCallback& progress = {}, OnNan on_nan = OnNan::Stop);
  // run() that also writes files; returns when all files are written. Time tiles end where a file
  // is due, which does not change results. Only the data to be written leaves the device. A resumed
  // series keeps the earlier files in its collections. Errors: those of check(), before the first
  // step; those of run() and State::write(), after which the simulation is at the step that failed.
  Result<Report> run(const RunFiles& files, const ProgressCallback& progress = {},
                     OnNan on_nan = OnNan::Stop);
  // Waits until all queued work is done. R044 if it failed.
  Status wait();

 private:
  friend struct api::SimulationData;
  explicit Simulation(std::unique_ptr<api::SimulationData> data);
};

}  // namespace stencil
