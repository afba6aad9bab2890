// Compiles, loads and times one candidate at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/run/run.h"
#include "runtime/tune/field_memory.h"
#include "runtime/tune/judgement.h"

namespace stencil::tune {

// One line for a failure: code and message. For diagnostics: the first error.
std::string words_of(const Failure& failure);
std::string first_error(const Diagnostics& diagnostics);

// Parameters of timing, for cost estimates: minimum seconds of a timed run; seconds of warm-up
// before the first one; number of sessions that can be open at once, for programs with `bytes`
// bytes in all levels of all fields.
double timed_run_seconds(bool on_cpu);
double warm_up_seconds();
size_t sessions_at_once(int64_t bytes, bool on_cpu);

// Unit of steps for timed runs: whole tiles, and whole intervals of reductions.
int64_t unit_of(const kernel::Plan& plan);
// The multiple of `unit` that takes at least `seconds`.
int64_t steps_for(double seconds, double seconds_per_step, int64_t unit);

// A candidate prepared for its timed runs.
struct Build {
  std::shared_ptr<const kernel::Module> module;    // null: refused
  std::string machine_code;                        // empty if the device compiles while loading
  std::unique_ptr<runtime::LoadedProgram> loaded;  // set only if the device compiles while loading
  std::string refused;                             // "L015 ..."
  double seconds = 0;
};

// Thread-safe. `program` must outlive the result.
Build build(const ir::Program& program, const schedule::Schedule& schedule,
            const runtime::ChosenDevice& device);

// Loads a compiled candidate into `built.loaded`, in the thread that will run it. Fails as
// Device::load.
Status load(const ir::Program& program, Build& built, const runtime::ChosenDevice& device);

// A compiled candidate, with its fields on the device while it has a session.
struct Contender {
  size_t number = 0;
  std::unique_ptr<Build> build;
  std::unique_ptr<reference::State> state;
  std::unique_ptr<runtime::Session> session;  // refers to all members above
  int64_t steps = 0;                          // taken by the session
  int64_t latest = 0;                         // number of its latest timed run
  double seconds_per_step = 0;                // from its latest timed run; 0: none yet
  TimedRuns runs;
};

// Executes timed runs, all starting from the same values.
class CandidateTimer {
 public:
  CandidateTimer(const ir::Program& program, const runtime::Params& params,
                 const runtime::ChosenDevice& device);

  // Allocates memory for the fields. Fails as FieldMemory::lay_out; R055 if a series is too short
  // for one step.
  Status prepare();
  // Points of the grid.
  double points() const { return points_; }

  Status load(Contender& contender) const {
    return tune::load(program_, *contender.build, device_);
  }
  // Executes one timed run and returns seconds per step. Opens a session if necessary, which may
  // close sessions of others (`all`). R043, R044.
  Result<double> time_run(Contender& contender, const std::vector<std::unique_ptr<Contender>>& all);

 private:
  struct Advanced {
    int64_t steps;
    double seconds;
  };

  Result<Advanced> advance(Contender& contender, int64_t steps);
  Status open(Contender& contender, const std::vector<std::unique_ptr<Contender>>& all);
  // Starts with the values of `like`, if given.
  Status start(Contender& contender, const Contender* like = nullptr);
  Result<double> first_run(Contender& contender);

  const ir::Program& program_;
  const runtime::Params& params_;
  const runtime::ChosenDevice& device_;
  const bool on_cpu_;
  const double wanted_;  // minimum seconds per timed run
  FieldMemory memory_;
  double points_ = 0;
  size_t most_sessions_ = 1;
  int64_t last_step_ = INT64_MAX;  // of a session: series end there
  int64_t timed_runs_ = 0;
  bool warm_ = false;
};

}  // namespace stencil::tune
