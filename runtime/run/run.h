// Runs a program on a device.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/driver/compile.h"
#include "runtime/devices/device_table.h"
#include "runtime/io/rows.h"

namespace stencil::runtime {

// Values of a program's params, by ParamId.
struct Params {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::vector<bool> given = {};  // given by the user, not default or derived
};

// Determines the values in this order: `values` (by name, as text) for params that are not compiled
// in; the program's default or -D; derivation from other params. R050 for a param without a value,
// R051 for a value that is not a number of the param's type, R051 and R074 of ir::derive_params.
Result<Params> bind_params(const ir::Program& program,
                           const std::map<std::string, std::string>& values = {});

// Storage for the program at step 0 with its initial values. Appends failed checks at these sizes
// (ir::failed_checks) to `diagnostics`; R052 if memory does not suffice.
Result<reference::State> prepare_state(const ir::Program& program, const Params& params,
                                       Diagnostics& diagnostics);

// Steps of a run according to the program; R053 if it gives none, or a negative number.
Result<int64_t> steps_of(const ir::Program& program, const Params& params);

// Steps from the state's step to step `last`; R064 if the state is beyond it.
Result<int64_t> steps_left(int64_t last, const reference::State& state);

// Checks the inputs of a run up to step `last`: R055 if a series has too few values, R056 if a
// point is outside its allowed region.
Status check_needs(const ir::Program& program, const reference::State& state, int64_t last);

// Whether the line leaves the choice of the schedule to the compiler: "auto" or "".
bool is_automatic(const std::string& line);

// Kernels of `program` for the schedule line (or "auto", or ""); sets `schedule`. Returns null,
// with errors in `diagnostics`, if the line is malformed, the schedule is refused, or (K001) the
// kernels are unsound.
std::shared_ptr<const kernel::Module> lower(const ir::Program& program, const std::string& line,
                                            const schedule::Machine& machine,
                                            std::optional<schedule::Schedule>& schedule,
                                            Diagnostics& diagnostics);

// lower() for a parsed schedule; `advice` as for schedule::lower().
std::shared_ptr<const kernel::Module> lower(const ir::Program& program,
                                            const schedule::Schedule& schedule,
                                            const schedule::Machine& machine,
                                            Diagnostics& diagnostics,
                                            schedule::Advice advice = schedule::Advice::Given);

// A schedule line known to be good on a device, and its origin.
struct KnownLine {
  std::string line;
  std::string origin;  // "measured on ..."
};
using KnownLines = std::function<std::optional<KnownLine>(const ChosenDevice& device)>;

// A program ready to run on a device. Owns the kernels used by the loaded program.
struct Prepared {
  ChosenDevice device;
  std::optional<schedule::Schedule> schedule;  // nullopt on a device that interprets
  std::shared_ptr<const kernel::Module> module;
  std::unique_ptr<LoadedProgram> loaded;
  std::string origin = {};  // of a KnownLine; else ""
  // How the grid is split: "4, cut 2x2 (x first), halos exchanged every 24 steps"; "" if not split.
  std::string subdomains = {};
};

// Called before each stage of the work: "compiling heat for host: planes T=4 ...".
using StageCallback = std::function<void(const std::string& what)>;

// Chooses the device, lowers the program with the schedule line (or "auto") and loads it. Failures
// concern the device, or have code "" with the errors in `diagnostics`. `dense`: rows are not
// padded unless the line requests it, as for user arrays. `known` is asked before "auto" uses the
// model; a known line that program or device refuse is ignored.
Result<Prepared> prepare(const ir::Program& program, const std::string& device,
                         const std::string& schedule_line, Diagnostics& diagnostics,
                         bool dense = false, const StageCallback& stage = {},
                         const KnownLines& known = {});

struct Progress {
  int64_t done = 0, total = 0;  // steps
  double seconds = 0;           // spent in steps, as in RunReport
  double updates = 0;           // points updated so far
  double elapsed = 0;           // seconds since the run began, including events
};
// Called a few times per second, between chunks of the run; returning false ends the run there.
using ProgressCallback = std::function<bool(const Progress&)>;

// An action between time tiles of a run: write files, inspect values.
struct Event {
  int64_t every = 0;    // due after steps that are multiples of this; 0: disabled
  double seconds = 0;   // due when this much time has passed since the last; 0: disabled
  bool at_end = false;  // due at the end of the run, unless just done
  std::function<Status(FieldSource&)> action;  // a failure ends the run
  // If the action saves the whole state: its file. Then the event is also due when another event's
  // action has failed, because the steps up to there are valid.
  std::string checkpoint = {};
};

struct RunReport {
  int64_t steps = 0;                   // steps taken
  double seconds = 0;                  // spent in steps, without host-device copies and events
  double updates = 0;                  // steps times grid points
  bool interrupted = false;            // the callback ended it
  bool stopped = false;                // the program's stop condition held
  std::optional<ir::ReductionId> nan;  // the NaN reduction that ended it (OnNan::Stop)
  double gcells_per_second() const { return seconds > 0 ? updates / seconds * 1e-9 : 0; }
};

// Behaviour if a reduction is or becomes NaN: continue, or end after the current chunk of time
// tiles. Events due at the end of a run are executed in both cases.
enum class OnNan { Continue, Stop };

// The fields of a session between its steps. Uses Session::rows if the session has it; otherwise
// copies the needed fields to `state`, which must be the session's.
class SessionSource : public FieldSource {
 public:
  SessionSource(Session& session, const reference::State& state)
      : session_(session), state_(state) {}

  const reference::State& state() const override { return state_; }
  Status gather(const std::vector<int>& levels) override { return session_.fetch(levels); }
  Status write(const std::vector<SharedFile>& files) override;
  Result<std::vector<uint32_t>> checksums(const std::vector<StoredArray>& arrays) override;
  Result<std::vector<NonFiniteCount>> count_non_finite(
      const std::vector<Selection>& places) override;

 private:
  Session& session_;
  const reference::State& state_;
};

// Advances `state` by up to `steps` steps. Progress reports do not split time tiles; tiles end
// where an event is due, which does not change results. Returns failures of the device and of event
// actions; the hint names the checkpoint of the run, if there is one.
Result<RunReport> execute(const ir::Program& program, const Prepared& prepared,
                          reference::State& state, int64_t steps,
                          const ProgressCallback& progress = {},
                          const std::vector<Event>& events = {}, OnNan on_nan = OnNan::Continue);

}  // namespace stencil::runtime
