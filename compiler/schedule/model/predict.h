// How long a GPU or a CPU takes over the work of a time tile: the model, by counting. docs/model.md has the
// equations and where they come from.
#pragma once

#include <array>

#include "compiler/schedule/machine.h"
#include "compiler/schedule/model/work.h"

namespace stencil::schedule {

// What time can go into. One of them limits a kernel.
enum class Limit { Memory, Cache, Instructions, Latency, Tail, Launch };
constexpr size_t kLimits = 6;
const char* name(Limit limit);

struct Prediction {
  double seconds = 0;  // per step of the whole grid
  double points_per_second = 0;
  // Seconds per step that each would take if nothing else did; of the tail, what blocks add that
  // do not fill the last wave.
  std::array<double, kLimits> alone = {};
  Limit limit = Limit::Memory;  // the largest of them
  double headroom = 1;          // how many times the next largest it is

  // Of the kernel that takes longest.
  double registers = 0;  // that a thread gets
  double wanted = 0;     // that it would take
  bool spills = false;   // it very likely gets too few
  int resident = 1;      // blocks per multiprocessor
  double occupancy = 0;  // resident threads, of those that there is room for
  double waves = 0;      // blocks over those that run at once
  double blocks = 0;

  double of(Limit which) const { return alone[static_cast<size_t>(which)]; }
};

Prediction predict(const TileWork& work, const Machine& machine);

// Instructions that a thread issues for these operations, those of arithmetic in single precision
// counting as one.
double instructions(const Operations& operations, const Machine& machine);

// Issue slots of a warp in an iteration: by counting (`at_edge`: of blocks at the grid's edge), and
// by the machine code.
double counted_slots(const Work& work, const Machine& machine, bool at_edge = false);
double issued_slots(const Issued& issued, const Machine& machine);

}  // namespace stencil::schedule
