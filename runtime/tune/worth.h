// Decides whether a run is long enough for autotuning, from predictions only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stencil::tune {

// A few schedules that may be timed before a run.
struct Contest {
  size_t candidates = 0;             // to begin with
  size_t follow = 0;                 // chosen after those have been timed
  std::vector<double> compilations;  // seconds of compilation per initial candidate
  int compilers = 1;                 // running in parallel
  size_t compiled = 0;               // first ones, compiled and cached even without timing
  bool on_cpu = false;               // where they run
  int threads = 1;                   // of the host, for filling and copying fields
  double tile = 0;                   // expected seconds of the longest time tile
  int64_t bytes = 0;                 // of all levels of all fields
};

// Seconds that the run waits for compilers without timing.
double waiting_of(const Contest& contest);
// Expected seconds of timing, without the compilations that the run needs even without timing.
double cost_of(const Contest& contest);
// Seconds after which timing ends, before a run of `run_seconds` expected seconds: twice the
// expected time for compiling and timing. At least a tenth of the run, up to half a minute, in case
// other programs slow the compilers down.
double budget_of(const Contest& contest, double run_seconds);
// Whether a run of `run_seconds` loses little by timing. Timing may cost a tenth of the run, or as
// much time as the run waits for compilers even without timing. If that wait is below a second,
// timing may cost twice the wait, but at most a second. False for a single candidate.
bool is_worth(const Contest& contest, double run_seconds);
// How many further candidates may follow, at most `most`. Together they may cost a small part of
// the run, as much as they gain on average.
size_t more_worth(const Contest& contest, size_t most, double run_seconds);

// Whether `free_bytes` of host memory suffice with a margin: for a second copy of the fields, and
// on a CPU for the additional memory of a session.
bool has_room(const Contest& contest, int64_t free_bytes);

}  // namespace stencil::tune
