// Whether a run is worth timing a few schedules for: arithmetic on predictions, without devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stencil::tune {

// A few schedules that may be timed before a run.
struct Contest {
  size_t candidates = 0;             // to begin with
  size_t follow = 0;                 // that are chosen once those have been timed
  std::vector<double> compilations;  // seconds that a compiler takes for each of the former
  int compilers = 1;                 // that work side by side
  size_t compiled = 0;               // the first ones, which are or will be anyway, and are kept
  bool on_cpu = false;               // where they run
  int threads = 1;                   // of the host, which fill and copy fields
  double tile = 0;    // seconds that the longest of their time tiles is expected to take
  int64_t bytes = 0;  // of the fields, all levels
};

// Seconds that a compiler is expected to take for kernels whose text has so many characters.
double compilation_of(size_t characters);
// Seconds that the run waits for compilers without the contest.
double waiting_of(const Contest& contest);
// Seconds that the contest is expected to take, beyond what is compiled anyway.
double cost_of(const Contest& contest);
// Seconds after which it ends, as it stands, before a run that is expected to take so many: twice
// what it should take, and as long as a tenth of the run where other programs keep the compilers
// waiting, up to half a minute.
double budget_of(const Contest& contest, double run_seconds);
// True if a run that is expected to take so many seconds loses little by it: a tenth at most, or as
// much as it waits for compilers anyway, twice that within a second. One candidate is no contest.
bool is_worth(const Contest& contest, double run_seconds);
// How many more may follow, at most so many: they may take a little of the run, which is what they
// gain on average.
size_t more_worth(const Contest& contest, size_t most, double run_seconds);

// True if so many free bytes of the host's memory are enough for it, with room to spare: a second
// copy of the fields, and on a CPU what a session of the device takes besides.
bool has_room(const Contest& contest, int64_t free_bytes);

}  // namespace stencil::tune
