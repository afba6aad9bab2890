// One candidate at a time on the device: compiled, loaded, given its turns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/run/run.h"
#include "runtime/tune/field_memory.h"
#include "runtime/tune/judgement.h"

namespace stencil::tune {

// Why not, in a line: code and message. Of diagnostics, the first error.
std::string words_of(const Failure& failure);
std::string first_error(const Diagnostics& diagnostics);

// What turns are made of, for those who reckon with them: seconds of a turn that counts, at least,
// and of what comes before the first of all; and sessions that are open side by side on a device,
// of programs with so many bytes in all levels of all fields.
double turn_seconds(bool on_cpu);
double warm_up_seconds();
size_t sessions_at_once(int64_t bytes, bool on_cpu);

// What a candidate becomes ahead of its turns.
struct Build {
  std::shared_ptr<const kernel::Module> module;    // null: refused
  std::string machine_code;                        // empty on a device that compiles as it loads
  std::unique_ptr<runtime::LoadedProgram> loaded;  // there it is loaded at once
  std::string refused;                             // "L015 ..."
  double seconds = 0;
};

// By any thread. `program` must outlive what comes of it.
Build build(const ir::Program& program, const schedule::Schedule& schedule,
            const runtime::ChosenDevice& device);

// A candidate that has been compiled, and its fields on the device while it has some.
struct Contender {
  size_t number = 0;
  std::unique_ptr<Build> build;
  std::unique_ptr<reference::State> state;
  std::unique_ptr<runtime::Session> session;  // refers to all of the above
  int64_t steps = 0;                          // that the session has done
  int64_t latest = 0;                         // number of its latest turn, of all
  double seconds_per_step = 0;                // as of its latest turn; 0: there was none
  Runs runs;
};

// Gives turns, all from the same values.
class Turns {
 public:
  Turns(const ir::Program& program, const runtime::Params& params,
        const runtime::ChosenDevice& device);

  // Memory for the fields. Fails as FieldMemory::lay_out; R055 if a series ends before a step.
  Status prepare();
  // Points of the grid.
  double points() const { return points_; }

  // Loads what has been compiled; the calling thread is the one that takes turns. Fails as
  // Device::load.
  Status load(Contender& contender) const;
  // Seconds per step in one turn. Opens a session where there is none, for which others may lose
  // theirs (`all`: those that may have one). R043, R044.
  Result<double> take(Contender& contender, const std::vector<std::unique_ptr<Contender>>& all);

 private:
  struct Advanced {
    int64_t steps;
    double seconds;
  };

  Result<Advanced> advance(Contender& contender, int64_t steps);
  Status open(Contender& contender, const std::vector<std::unique_ptr<Contender>>& all);
  // With the values of `like`, if there is one.
  Status start(Contender& contender, const Contender* like = nullptr);
  Result<double> first(Contender& contender);

  const ir::Program& program_;
  const runtime::Params& params_;
  const runtime::ChosenDevice& device_;
  const bool on_cpu_;
  const double wanted_;  // seconds of a turn, at least
  FieldMemory memory_;
  double points_ = 0;
  size_t most_sessions_ = 1;
  int64_t last_step_ = INT64_MAX;  // that a session may come to: series end
  int64_t turns_ = 0;
  bool warm_ = false;
};

}  // namespace stencil::tune
