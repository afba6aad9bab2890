// What `verify` tries: sizes, schedules, step counts and initial data.
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

// The program at one size: its size params are folded.
struct SizeCase {
  std::string label;  // "N = 17, M = 5", or "as written" for a program without size params
  ir::Program program;
  ir::Program
      reference;  // what the interpreter runs: without --fix, so that folding is checked too
  Params params;
};

struct SizeCases {
  std::vector<SizeCase> closed;
  // The program with its size params open, which one kernel serves at every size; nothing if it has
  // none or cannot be compiled that way. Params are bound by name from `closed`.
  std::optional<ir::Program> open;
};

// Sizes that are awkward for the schedules: tiny ones, the tiles' lengths and one more or less,
// primes, and the program's own if they are small. Params given by -D keep their values. Sizes at
// which the program's checks fail are left out.
SizeCases choose_sizes(const ast::Program& tree, const Source& source,
                       const ProgramOptions& options,
                       const std::vector<schedule::Schedule>& schedules, bool quick);

// A schedule to try, or why it cannot be.
struct ScheduleCase {
  std::string line;
  std::optional<schedule::Schedule> schedule;
  std::string refusal;
  bool on_cpu = false;  // only for devices where threads are loops: others cannot run it
  std::string brief;    // the line for people, which every device reads alike
};
// Every family with several settings; small blocks, so that small grids have many tiles. What
// `auto` takes on a GPU and on a CPU is among them. Only `line` unless that is "auto".
std::vector<ScheduleCase> choose_schedules(const ir::Program& program, const std::string& line,
                                           bool quick, Diagnostics& diagnostics);

// Step counts that are awkward for a time tile of T steps, and such at which reductions are due, if
// they are few enough.
std::vector<int64_t> choose_steps(const ir::Program& program, int time_tile, bool quick);

// Fills every level of every field with values that depend on the seed alone. Floats lie in
// [-1, 1) or, if `positive`, in [0.25, 1.25); integers are small.
void fill_randomly(reference::State& state, uint64_t seed, bool positive);

}  // namespace stencil::runtime
