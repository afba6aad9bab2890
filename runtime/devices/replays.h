// Steps that are queued as one. A kernel of a small grid takes less time than queueing it: where a
// run does the same launches again and again, a cycle of them is recorded once and replayed.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/devices/communicator.h"

namespace stencil::runtime {

class Replays {
 public:
  // `parts`: null, or those that record with this one.
  Replays(Accelerator& accelerator, Communicator* parts)
      : accelerator_(accelerator), parts_(parts) {}

  // Of how many steps cycles are, if of any; 0: it does not come back to where it was. Parts call
  // it together, and record if all have the same cycle.
  Status settle(int64_t steps);
  int64_t steps() const { return steps_; }

  // The first two cycles are done as usual: what is loaded on first use cannot be loaded in a
  // recording, and the second one shows how long tiles take. Long ones are not recorded: queueing
  // them costs nothing then, and a graph does not begin one kernel ahead of another as queues do.
  bool is_warm() const { return cycles_ == 2; }
  Status warm_up(int64_t tiles, const std::function<Status()>& cycle);

  bool is_recorded() const { return recorded_; }
  bool is_recording() const { return recording_now_; }
  // Records what `cycle` queues, all of it in lane 0 or waited for there.
  Status record(const std::function<Status()>& cycle);
  Status replay(int64_t times);

 private:
  Accelerator& accelerator_;
  Communicator* const parts_;
  int64_t steps_ = 0;
  int cycles_ = 0;  // done to warm up
  bool recorded_ = false, recording_now_ = false;
  Accelerator::Recording recording_;
};

}  // namespace stencil::runtime
