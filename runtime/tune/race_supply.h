// The candidates of a race: threads choose, lower and compile them while the run advances.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "compiler/support/threads.h"
#include "compiler/support/workers.h"
#include "runtime/tune/candidate_timer.h"
#include "runtime/tune/shortlist.h"
#include "runtime/tune/timing.h"

namespace stencil::tune {

class RaceSupply {
 public:
  // `program` and `device` must outlive this object. `first`: the schedule that leads at the
  // beginning, candidate 0, which is not supplied.
  RaceSupply(const ir::Program& program, const runtime::ChosenDevice& device,
             const schedule::Schedule& first);
  ~RaceSupply();  // waits for compilations in progress

  struct Compiled {
    size_t number;
    schedule::Schedule schedule;
    double predicted;  // seconds per step
    std::unique_ptr<Build> build;
  };
  // The next compiled candidate that nothing refuses; nullopt if there is none yet.
  std::optional<Compiled> take();
  // Whether take() will never return another one.
  bool is_exhausted();
  // A candidate that the planner would compile at the expense of the run, which it does only after
  // grant(). Always nullopt on a GPU.
  struct Request {
    double compiling;  // expected seconds
    double predicted;  // seconds per step
  };
  std::optional<Request> request();
  void grant();
  // Seconds of CPU time spent compiling at the expense of the run since the last call.
  double take_compiled();
  // Predicted seconds per step of the first schedule; 0 until they are known.
  double predicted_of_first();
  // Results of a candidate, which direct the choice of the following ones.
  void note(size_t number, double seconds, double spread, bool dropped);
  void note_refused(size_t number, const std::string& why);
  // Starts no further compilation.
  void close();
  // Seconds of the longest compilation so far.
  double longest_compilation();

 private:
  void plan();
  std::optional<Candidate> choose();
  bool may_compile(const Candidate& candidate, bool is_favourite);
  void compile(size_t number, schedule::Schedule schedule);

  const ir::Program& program_;
  const runtime::ChosenDevice& device_;
  const schedule::Schedule first_;
  const bool on_cpu_;
  const int compilers_;  // threads besides the planner's; 0: the planner compiles
  std::mutex mutex_;     // for the members below
  std::condition_variable changed_;
  Timings timings_;
  std::deque<Compiled> ready_;
  size_t compiling_ = 0;
  double longest_ = 0;
  bool closed_ = false, planned_ = false;
  std::optional<Request> request_;
  double compiled_ = 0;
  // On a CPU: the planner's thread while it compiles at normal priority, since when, and for how
  // long it may.
  std::optional<ThreadId> hurrying_;
  std::chrono::steady_clock::time_point hurries_since_;
  double may_hurry_ = 0;                // seconds
  std::optional<Shortlist> shortlist_;  // of the planner alone
  size_t listed_ = 1;                   // candidates of the list that were chosen
  Workers workers_, planner_;           // last: their tasks use the other members
};

}  // namespace stencil::tune
