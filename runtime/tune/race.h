// The state of a race (racing_program.h): its leader, its candidates, and the decisions about
// trials.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/run/run.h"
#include "runtime/tune/race_budget.h"
#include "runtime/tune/race_supply.h"
#include "runtime/tune/stored_timing.h"

namespace stencil::tune {

// A race so far.
struct RaceReport {
  schedule::Schedule schedule;  // of the leader
  int tried = 0;                // schedules, besides the first
  int changes = 0;              // of the leader
  int refused = 0;              // by the device
  bool over = false;            // no schedule will be tried any more
  double gain = 1;              // speed of the leader over that of the first schedule
  double seconds = 0;           // per step, by the leader; 0: unknown
  double lost = 0;              // seconds spent in trials more than the leader would have needed
  double saved = 0;             // seconds saved by changes of the leader
};

// What a race needs to know of its run.
struct RacedRun {
  runtime::ChosenDevice device;
  int64_t steps = 0;    // of the run
  double expected = 0;  // seconds, predicted for the first schedule
  // Stores the result at the end of the race; may be empty.
  std::function<void(const Choice&)> keep = {};
};

// Loaded kernels of a schedule; `loaded` refers to `module`.
struct Runner {
  size_t number = 0;  // of the candidate
  schedule::Schedule schedule;
  std::shared_ptr<const kernel::Module> module;
  std::unique_ptr<runtime::LoadedProgram> loaded;
};

// Seconds per step of consecutive pieces of a run.
class Samples {
 public:
  // `least`: seconds of a sample.
  explicit Samples(double least) : least_(least) {}
  void add(int64_t steps, double seconds);
  void keep_latest(size_t most);
  void clear() { *this = Samples(least_); }
  size_t size() const { return values_.size(); }
  double latest() const { return values_.back(); }
  double middle() const;  // median; needs a sample, as spread()
  double spread() const;  // median absolute deviation

 private:
  double least_;
  double steps_ = 0, seconds_ = 0;  // of the sample that is not complete
  std::vector<double> values_;
};

// Whether the first tiles of a trial, which last for a sample's time at least, are so slow that no
// samples are needed.
bool loses_at_once(double seconds_per_step, const Samples& leader);
// Whether a candidate is better than the leader, by the samples of its trial so far; nullopt: more
// samples are needed.
std::optional<bool> verdict(const Samples& candidate, const Samples& leader, bool on_cpu);

// Only the session that takes part changes a race. Other threads may call enter(), leader() and
// report().
class Race {
 public:
  Race(const ir::Program& program, RacedRun run, Runner first);
  ~Race() { end(); }

  // Takes part in the race; false if another session does or it is over.
  bool enter();
  void leave();
  // The schedule that leads now, and the schedule that led at the beginning.
  std::shared_ptr<Runner> leader() const;
  const Runner& first() const { return *first_; }
  RaceReport report() const;

  bool on_cpu() const { return on_cpu_; }
  double sample_seconds() const;
  // The leader has advanced the run; `samples` are its latest ones.
  void led(int64_t steps, double seconds, const Samples& samples);
  // The next candidate, loaded, if one is ready and its trial is within the budget. Ends the race
  // if there will be none.
  std::shared_ptr<Runner> next(const Samples& leader);
  void note_hand_over(double seconds);
  void note_refused(const Runner& runner, const Failure& failure);
  // A trial has ended. `seconds`: all of it, hand-overs included.
  void tried(const std::shared_ptr<Runner>& runner, const Samples& samples, int64_t steps,
             double seconds, const Samples& leader, bool wins);
  // The candidate of a trial stays although it has not won, because the leader cannot take over.
  void keep_anyway(const std::shared_ptr<Runner>& runner);

  bool is_over() const { return is_over_; }
  void end();

 private:
  double left(double seconds_per_step) const;
  void keep_result();
  double cost_of(const RaceSupply::Compiled& candidate, const Samples& leader);
  std::shared_ptr<Runner> load(RaceSupply::Compiled& candidate);

  const ir::Program& program_;
  const RacedRun run_;
  const bool on_cpu_;
  RaceBudget budget_;
  const std::shared_ptr<Runner> first_;
  double hand_over_;  // seconds
  int hand_overs_ = 0;
  int64_t steps_ = 0;  // of the run so far
  bool is_over_ = false;
  std::optional<RaceSupply::Compiled> waiting_;  // for its trial
  mutable std::mutex mutex_;                     // for the members below
  bool is_raced_ = false;
  int kept_ = 0;  // tried schedules of the stored result
  std::shared_ptr<Runner> leader_;
  RaceReport report_;
  std::optional<RaceSupply> supply_;  // last: its threads end first
};

}  // namespace stencil::tune
