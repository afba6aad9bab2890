// The performance model: predicts how long a GPU or a CPU takes for the work of a time tile, from
// counted operations. docs/design/model.md derives the equations.
#pragma once

#include <array>

#include "compiler/schedule/machine.h"
#include "compiler/schedule/model/work.h"

namespace stencil::schedule {

// Possible limiters of a kernel. Tail is wave quantization, Launch is launch overhead.
enum class Limit { Memory, Cache, Instructions, Latency, Tail, Launch };
constexpr size_t kLimits = 6;
const char* name(Limit limit);

struct Prediction {
  double seconds = 0;  // per step of the whole grid
  double points_per_second = 0;
  // Seconds per step if only this limiter existed. For Tail: the additional time of a last wave
  // that is not full.
  std::array<double, kLimits> alone = {};
  Limit limit = Limit::Memory;  // the limiter with the largest time
  double headroom = 1;          // ratio of the largest to the second largest

  // For the kernel that takes longest:
  double registers = 0;  // allocated per thread
  double wanted = 0;     // wanted per thread
  bool spills = false;   // very likely to spill
  int blocks_per_multiprocessor = 1;
  double occupancy = 0;  // threads per multiprocessor / maximum
  double waves = 0;      // blocks / blocks that run at once
  double blocks = 0;

  double of(Limit which) const { return alone[static_cast<size_t>(which)]; }
};

Prediction predict(const TileWork& work, const Machine& machine);

// Instructions that a thread issues for these operations, in units of one single-precision
// operation.
double instructions(const Operations& operations, const Machine& machine);

// Issue slots of a warp per iteration, from counted operations (`at_edge`: for blocks at the grid's
// edge) and from machine code.
double counted_slots(const Work& work, const Machine& machine, bool at_edge = false);
double issued_slots(const Issued& issued, const Machine& machine);

}  // namespace stencil::schedule
