// Timing schedules of one program on a device, against each other.
//
// Candidates are lowered and compiled by threads, the best predicted first, and loaded and timed by
// the calling thread. Timing goes by rounds: in each, every candidate that is still in has one
// turn, so that what drifts (clocks, temperature, other programs) meets all alike. A turn takes
// several milliseconds of whole time tiles from values that are the same for all, after steps that
// do not count. Candidates that have been compiled since join the next round.
//
// A candidate is dropped once it is beaten beyond the noise (beats() in judgement.h). It ends when
// one is left, when those left differ by less than a measurement tells, or when the budget is
// spent.
//
// Where the CPU is the device, and where compiling needs the device, nothing is compiled while
// something is timed: a few candidates are compiled, then they are timed, then the next few.
//
// All candidates work in the fields of one state on the host; on the device as many have fields as
// fit into a few gigabytes, at least one.
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
  double predicted = 0;  // seconds per step; 0: not known
};

// What came of a candidate.
struct Timed {
  std::string line;  // the whole schedule line
  double predicted = 0;
  double seconds = 0;        // per step, the median of its runs; 0: it has not run
  double spread = 0;         // seconds per step: the median distance of a run from that
  int runs = 0;              // turns
  bool dropped = false;      // beaten before the end
  std::string refused = {};  // by the schedule's family, the compiler or the device: "L015 ..."
  std::string error = {};    // of the device, while it ran
  double compiling = 0;      // seconds that lowering, compiling and loading took
  int registers = 0;  // of the hungriest kernel, per thread; 0 where the device does not tell
  int64_t local_bytes = 0, shared_bytes = 0;  // likewise
};

// Why timing has ended.
enum class End {
  Settled,      // one is left, or those left do not differ
  Budget,       // the time was up; what has neither runs nor a refusal was not reached
  Interrupted,  // the callback said so
  Lost          // the device no longer answers
};

struct Timings {
  std::vector<Timed> candidates;  // in the order in which they were given, those of `next` last
  std::optional<size_t> best;     // the least median of those that were not dropped
  End end = End::Settled;
  double points = 0;     // of the grid: updates per step
  double elapsed = 0;    // seconds that it took
  std::string left_out;  // what of the program was not timed: "the stop condition", or ""
};

struct TimingProgress {
  size_t compiled = 0, timed = 0, of = 0;  // candidates that are, or are refused; have run; in all
  size_t left = 0;                         // still in, of those timed
  double elapsed = 0;                      // seconds
  const Timed* best = nullptr;             // so far
};

struct TimingOptions {
  // Seconds: no turn begins later, but for the first, and no candidate joins in the last fifth.
  // What is being compiled then is waited for.
  double budget = 60;
  int threads = wanted_threads();  // that compile
  int side_by_side = INT_MAX;      // candidates of `next` that are compiled at once, at most
  // Called where nothing of the list is left to be compiled: another one, knowing what came of
  // those before, or nothing, which ends that. It joins the list.
  std::function<std::optional<Candidate>(const Timings&)> next = {};
  // Called between turns and several times a second while waiting; false ends it.
  std::function<bool(const TimingProgress&)> progress = {};
};

// Times the candidates, which should be ordered by what is predicted. With the least budget, the
// first that runs has one turn. What a candidate cannot do is said in its place. Reductions are
// timed as they are, in steps that are multiples of their intervals where these are short; the stop
// condition is left out, so that no run ends by it.
//
// Fails where there is nothing to time: R045 on a device that interprets, R052 without memory for
// the fields, code "" where the program's checks do not hold at these params.
Result<Timings> time_candidates(const ir::Program& program, const runtime::Params& params,
                                const runtime::ChosenDevice& device,
                                const std::vector<Candidate>& candidates,
                                const TimingOptions& options = {});

}  // namespace stencil::tune
