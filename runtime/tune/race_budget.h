// What the trials of a race (race.h) may cost.
//
// A trial costs the seconds by which it is slower than the leader would have been, with the
// hand-over of the fields. On a CPU, the compilation before it also costs the run its time, because
// the threads of the run wait for the thread that shares its core. All trials together may cost a
// small part of the run and a part of the time that changes of the schedule have saved so far. So a
// short run loses little, and a long run tries as many schedules as an exploration.
#pragma once

namespace stencil::tune {

class RaceBudget {
 public:
  // `expected`: seconds that the run would take with the first schedule.
  RaceBudget(double expected, bool on_cpu) : expected_(expected), on_cpu_(on_cpu) {}

  // The leader has advanced for `seconds` seconds. It is `gain` times as fast as the first
  // schedule.
  void led(double seconds, double gain);
  // A trial has taken `steps` steps in `seconds` seconds, the hand-overs included. The leader
  // needs `leader` seconds per step.
  void tried(double steps, double seconds, double leader);

  // A candidate has been compiled, at the expense of the run.
  void compiled(double seconds) { lost_ += seconds; }
  // The last trial has won, or not.
  void judged(bool wins) { failures_ = wins ? 0 : failures_ + 1; }

  // Whether a trial with this cost may begin while `left` seconds of the run are left: it must be
  // within the budget, and it must be expected to repay its cost. The more trials have failed since
  // the last success, the less is expected of the next one.
  bool allows(double cost, double left) const { return cost <= room() && repays(cost, left); }
  // Whether a trial with this cost is expected to save more than it costs.
  bool repays(double cost, double left) const;
  // Whether a candidate that is expected to take the part 1 - `gain` of the leader's time may cost
  // this much: as above, or if it is much faster according to the model.
  bool allows_with_gain(double cost, double left, double gain) const;

  double lost() const { return lost_; }    // seconds, by trials
  double saved() const { return saved_; }  // seconds, by the leaders after the first

 private:
  double room() const;

  double expected_;
  bool on_cpu_;
  double lost_ = 0, saved_ = 0;
  int failures_ = 0;  // since the last success
};

}  // namespace stencil::tune
