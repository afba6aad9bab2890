// Replays of many launches within a tile (host_ir::Replay), such as a multigrid cycle: queueing
// them one by one takes longer than running those on coarse grids. Unlike Replays, which records
// whole cycles of steps, this also serves programs that evaluate reductions in each step.
#pragma once

#include <vector>

#include "runtime/devices/accelerator.h"

namespace stencil::runtime {

class LaunchRecordings {
 public:
  explicit LaunchRecordings(Accelerator& accelerator) : accelerator_(accelerator) {}

  // Queues calls on lane 0. Calls that were queued before with the same arguments are
  // recorded and replayed as a whole. The first time loads code that cannot be loaded during a
  // recording.
  Status queue(std::vector<Accelerator::Call> calls);

 private:
  struct Known {
    std::vector<Accelerator::Call> calls;
    Accelerator::Recording recording = {};
    bool recorded = false;
  };
  Status launch(const std::vector<Accelerator::Call>& calls);

  Accelerator& accelerator_;
  std::vector<Known> known_;
};

}  // namespace stencil::runtime
