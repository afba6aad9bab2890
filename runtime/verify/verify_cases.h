// The test cases of `verify`: sizes, schedules, step counts and initial data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/reference/state.h"
#include "compiler/schedule/schedule.h"
#include "compiler/sema/analyze.h"
#include "runtime/run/run.h"

namespace stencil::runtime {

// The program with its size params folded.
struct SizeCase {
  std::string label;  // "N = 17, M = 5", or "as written" for a program without size params
  ir::Program program;
  ir::Program reference;  // for the interpreter: without --fix, which tests folding
  Params params;
};

struct SizeCases {
  std::vector<SizeCase> closed;
  // The program with open size params, so that one kernel serves all sizes; nullopt if it has none
  // or cannot be compiled like this. Params are bound by name from `closed`.
  std::optional<ir::Program> open;
};

// Sizes that are difficult for the schedules: tiny ones, tile lengths plus and minus one, primes,
// and the program's own if small. Params given by -D keep their values. Sizes at which the
// program's checks fail are left out.
SizeCases choose_sizes(const ast::Program& tree, const Source& source,
                       const ProgramOptions& options,
                       const std::vector<schedule::Schedule>& schedules, bool quick);

// A schedule to try, or the reason why it is refused.
struct ScheduleCase {
  std::string line;
  std::optional<schedule::Schedule> schedule;
  std::string refusal;
  bool on_cpu = false;                   // only for devices whose threads are loops
  std::string brief;                     // the line for messages, unambiguous on every device
  std::vector<std::string> in_use = {};  // names of the devices on which a run takes it
};
// All families with several settings and small blocks, so that small grids have many tiles;
// includes the choices of `auto` on a GPU and on a CPU. If `line` is not "auto": only `line`.
std::vector<ScheduleCase> choose_schedules(const ir::Program& program, const std::string& line,
                                           bool quick, Diagnostics& diagnostics);

// Marks the schedule that a run takes on this device; adds it in front if it is missing. `line`: a
// schedule line or "auto". As in a run, "auto" replaces a line that is refused.
void mark_in_use(const ir::Program& program, const std::string& device,
                 const schedule::Machine& machine, const std::string& line,
                 std::vector<ScheduleCase>& cases);

// Step counts that are difficult for a time tile of T steps, and step counts at which reductions
// are due, if small enough.
std::vector<int64_t> choose_steps(const ir::Program& program, int time_tile, bool quick);

// Fills all levels of all fields with pseudo-random values determined by the seed. Floats are in
// [-1, 1), or if `positive` in [0.25, 1.25); integers are small.
void fill_randomly(reference::State& state, uint64_t seed, bool positive);

}  // namespace stencil::runtime
