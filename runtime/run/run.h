// Running a program from its first step to its last on some device.
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

// The values of a program's params, by ParamId.
struct Params {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::vector<bool> given = {};  // not those that have their default or follow from others
};

// `values` by name, as written, for params that are not part of the code; else defaults (or -D) of
// the program; else what follows from other params. R050 for a param without a value, R051 for a
// value that is no number of the param's type, R051 and R074 of ir::derive_params.
Result<Params> bind_params(const ir::Program& program,
                           const std::map<std::string, std::string>& values = {});

// Storage for the program at these params, at step 0, with its initial values. Appends what does
// not hold at these sizes (ir::failed_checks); R052 if storage cannot be had.
Result<reference::State> prepare_state(const ir::Program& program, const Params& params,
                                       Diagnostics& diagnostics);

// Steps of a run: those of the program; R053 if it gives none, or a negative number.
Result<int64_t> steps_of(const ir::Program& program, const Params& params);

// From the state's step to step `last`; R064 if the state is beyond it.
Result<int64_t> steps_left(int64_t last, const reference::State& state);

// A run up to step `last` has what it needs; R055 where a series has no values for so many steps,
// R056 where a point does not lie where it has to.
Status check_needs(const ir::Program& program, const reference::State& state, int64_t last);

// The kernels of `program` by the schedule line (or "auto", or ""), which `schedule` receives; null
// and errors in `diagnostics` if the line is wrong, the schedule is refused or (K001) the kernels
// are unsound.
std::shared_ptr<const kernel::Module> lower(const ir::Program& program, const std::string& line,
                                            const schedule::Machine& machine,
                                            std::optional<schedule::Schedule>& schedule,
                                            Diagnostics& diagnostics);

// The same for a schedule that is no text any more; `advice` as for schedule::lower.
std::shared_ptr<const kernel::Module> lower(const ir::Program& program,
                                            const schedule::Schedule& schedule,
                                            const schedule::Machine& machine,
                                            Diagnostics& diagnostics,
                                            schedule::Advice advice = schedule::Advice::Given);

// A schedule line that is known to be good on a device, and how that is known.
struct KnownLine {
  std::string line;
  std::string origin;  // "measured on ..."
};
using KnownLines = std::function<std::optional<KnownLine>(const ChosenDevice& device)>;

// A program ready to run on a device. Owns the kernels that the loaded program refers to.
struct Prepared {
  ChosenDevice device;
  std::optional<schedule::Schedule> schedule;  // nothing on a device that interprets
  std::shared_ptr<const kernel::Module> module;
  std::unique_ptr<LoadedProgram> loaded;
  std::string origin = {};  // of a schedule that was known (KnownLine); else ""
  // How the grid is cut: "4, cut 2x2 (x first), halos exchanged every 24 steps"; "" on one device.
  std::string parts = {};
};

// Told what is being done, before it is: "compiling heat for host: planes T=4 ...".
using StageCallback = std::function<void(const std::string& what)>;

// Chooses the device, lowers the program by the schedule line (or "auto") and loads it. Fails
// with a Failure about the device, or with nothing but errors in `diagnostics` (code "" then).
// `dense`: rows are not padded unless the line asks for it, as arrays of users are. `known`: asked
// before "auto" is settled by rules. A line of it that the program or the device refuses counts as
// none.
Result<Prepared> prepare(const ir::Program& program, const std::string& device,
                         const std::string& schedule_line, Diagnostics& diagnostics,
                         bool dense = false, const StageCallback& stage = {},
                         const KnownLines& known = {});

struct Progress {
  int64_t done = 0, total = 0;  // steps
  double seconds = 0;           // of stepping, as in RunReport
  double updates = 0;           // points updated so far
  double elapsed = 0;           // seconds since the run began, with what its events take
};
// Called between chunks of the run, a few times a second; false ends the run there.
using ProgressCallback = std::function<bool(const Progress&)>;

// Something to do in the middle of a run, between time tiles: write files, look at values.
struct Event {
  int64_t every = 0;    // due after steps that are multiples of this (State::step); 0: none
  double seconds = 0;   // due where that much time has gone by since it was last; 0: never
  bool at_end = false;  // due when the run ends, however that is, unless it has just been done
  std::function<Status(FieldSource&)> action;  // a failure ends the run
  // The file in which it keeps the whole state, if that is what it does. Then it is also due where
  // the action of another event has failed: the steps up to there are good.
  std::string checkpoint = {};
};

struct RunReport {
  int64_t steps = 0;         // steps done
  double seconds = 0;        // of stepping, without copies to and from the device and events
  double updates = 0;        // steps times points of the grid
  bool interrupted = false;  // the callback ended it
  bool stopped = false;      // the program's stop condition held
  std::optional<ir::ReductionId> nan;  // the reduction whose becoming NaN ended it (OnNan::Stop)
  double gcells_per_second() const { return seconds > 0 ? updates / seconds * 1e-9 : 0; }
};

// What a run does where a reduction becomes NaN, or is NaN already: goes on, or ends after the
// chunk of time tiles that is in progress. All that is due at the end of a run is done either way.
enum class OnNan { Continue, Stop };

// The fields of a session between its steps. What has rows of its own (Session::rows) keeps them;
// of others, what is asked for comes to `state`, which must be the session's.
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

// Advances `state` by up to `steps` steps. Time tiles are never split by the progress reports; they
// end where an event is due, which changes no bit. Fails as the device does or as an event's
// action; the hint of the latter says in which checkpoint a state of the run is.
Result<RunReport> execute(const ir::Program& program, const Prepared& prepared,
                          reference::State& state, int64_t steps,
                          const ProgressCallback& progress = {},
                          const std::vector<Event>& events = {}, OnNan on_nan = OnNan::Continue);

}  // namespace stencil::runtime
