// Times schedules of one program on a device against each other.
//
// Threads lower and compile the candidates, best predicted first; the calling thread loads and
// times them. Timing proceeds in rounds: each remaining candidate has one timed run per round, so
// that drift (clocks, temperature, other programs) affects all equally. A timed run takes several
// milliseconds of whole time tiles. All candidates start from the same values, and a few steps
// before each timed run do not count. Newly compiled candidates join the next round.
//
// A candidate is dropped once it is beaten beyond the noise (beats() in judgement.h). Timing ends
// when one is left, when the remaining ones cannot be distinguished, or when the budget is spent.
//
// If the device is the CPU, or if compiling uses the device, compilation and timing alternate: a
// few candidates are compiled, then timed, then the next few.
//
// On the host all candidates share the fields of one state. On the device, candidates have their
// own fields as long as these fit into a few gigabytes; at least one candidate has them.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/support/threads.h"
#include "runtime/run/run.h"

namespace stencil::tune {

struct Candidate {
  schedule::Schedule schedule;
  double predicted = 0;  // seconds per step; 0: unknown
};

// Results of a candidate.
struct Timed {
  std::string line;  // the full schedule line
  double predicted = 0;
  double seconds = 0;                         // per step, median of its runs; 0: has not run
  double spread = 0;                          // seconds per step: median absolute deviation
  int runs = 0;                               // timed runs
  bool dropped = false;                       // beaten before the end
  std::string refused = {};                   // by family, compiler or device: "L015 ..."
  std::string error = {};                     // of the device during a run
  double compiling = 0;                       // seconds for lowering, compiling and loading
  int registers = 0;                          // maximum over the kernels, per thread; 0 if unknown
  int64_t local_bytes = 0, shared_bytes = 0;  // maximum over the kernels; 0 if unknown
};

// Why timing has ended.
enum class End {
  Settled,      // one is left, or the rest cannot be distinguished
  Budget,       // time is up; a candidate without runs and refusal was not reached
  Interrupted,  // `progress` returned false
  Lost          // the device no longer responds
};

struct Timings {
  std::vector<Timed> candidates;  // in the order given, those of `next` last
  std::optional<size_t> best;     // the least median among those not dropped
  End end = End::Settled;
  double points = 0;     // of the grid: updates per step
  double elapsed = 0;    // total seconds
  std::string left_out;  // part of the program that was not timed: "the stop condition", or ""
};

struct TimingProgress {
  size_t compiled = 0, timed = 0, of = 0;  // compiled or refused; have run; total
  size_t left = 0;                         // timed and not dropped
  double elapsed = 0;                      // seconds
  const Timed* best = nullptr;             // so far
};

struct TimingOptions {
  // In seconds. When the budget is used up, no timed run starts except the first. No candidate
  // joins in the last fifth of the budget. Compilations in progress are waited for.
  double budget = 60;
  int threads = wanted_threads();  // for compiling
  int side_by_side = INT_MAX;      // maximum of `next` candidates compiled at once
  // Called when all listed candidates are compiled or being compiled: returns another one, chosen
  // with the results so far, or nullopt to end the search. The candidate is added to the list.
  std::function<std::optional<Candidate>(const Timings&)> next = {};
  // Called between timed runs and several times per second while waiting; returning false ends the
  // timing.
  std::function<bool(const TimingProgress&)> progress = {};
};

// Times the candidates, which should be sorted by prediction. With a budget of 0, the first
// candidate that runs has one timed run. Refusals and errors are reported per candidate. Reductions
// are included: if their intervals are short, timed runs have multiples of them as steps. The stop
// condition is left out, so that no run ends early.
//
// Fails if nothing can be timed: R045 on a device that interprets, R052 without memory for the
// fields, code "" if the program's checks fail at these params.
Result<Timings> time_candidates(const ir::Program& program, const runtime::Params& params,
                                const runtime::ChosenDevice& device,
                                const std::vector<Candidate>& candidates,
                                const TimingOptions& options = {});

}  // namespace stencil::tune
