// Recording and replay of steps. On a small grid, queueing a kernel takes longer than running it.
// If a run repeats the same launches, one cycle of them is recorded and replayed.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/devices/communicator.h"

namespace stencil::runtime {

class Replays {
 public:
  // `communicator`: null, or that of the subdomains that record together.
  Replays(Accelerator& accelerator, Communicator* communicator)
      : accelerator_(accelerator), communicator_(communicator) {}

  // Sets the number of steps per cycle; 0: launches do not repeat. Collective: subdomains record
  // only if all have the same cycle.
  Status settle(int64_t steps);
  int64_t steps() const { return steps_; }

  // The first two cycles run without recording. The first loads code that cannot be loaded during a
  // recording; the second measures the time per tile. Long tiles are not recorded: they hide the
  // launch overhead, and a graph, unlike streams, cannot start a kernel once another one has begun
  // (docs/design/performance.md).
  bool is_warm() const { return cycles_ == 2; }
  Status warm_up(int64_t tiles, const std::function<Status()>& cycle);

  bool is_recorded() const { return recorded_; }
  bool is_recording() const { return recording_now_; }
  // Records the work that `cycle` queues. All of it must be on lane 0, or lane 0 must wait for it.
  Status record(const std::function<Status()>& cycle);
  Status replay(int64_t times);

 private:
  Accelerator& accelerator_;
  Communicator* const communicator_;
  int64_t steps_ = 0;
  int cycles_ = 0;  // warm-up cycles done
  bool recorded_ = false, recording_now_ = false;
  Accelerator::Recording recording_;
};

}  // namespace stencil::runtime
