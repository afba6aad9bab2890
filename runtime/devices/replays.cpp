#include "runtime/devices/replays.h"

#include <algorithm>
#include <string>

#include "compiler/support/try.h"

namespace stencil::runtime {

Status Replays::settle(int64_t steps) {
  const bool can = communicator_ ? communicator_->records(accelerator_) : accelerator_.records();
  steps_ = can ? steps : 0;
  if (!communicator_) return Done{};
  const auto all = TRY(communicator_->all_gather(std::to_string(steps_)));
  const auto& said = all;
  if (std::adjacent_find(said.begin(), said.end(), std::not_equal_to<>()) != said.end()) steps_ = 0;
  return Done{};
}

Status Replays::warm_up(int64_t tiles, const std::function<Status()>& cycle) {
  constexpr double kSeconds = 60e-6;  // per tile; queueing a tile with an exchange takes less
  if (cycles_++ == 0) return cycle();
  const auto watch = accelerator_.stopwatch();
  Status done = watch ? watch->start() : Status(Done{});
  if (done.ok()) done = cycle();
  if (done.ok() && watch) done = watch->stop();
  if (done.ok() && watch) done = accelerator_.wait();
  if (!done.ok()) return done;
  const auto taken = TRY(watch ? watch->seconds() : 0.0);
  return settle(taken < kSeconds * static_cast<double>(tiles) ? steps_ : 0);
}

Status Replays::record(const std::function<Status()>& cycle) {
  TRY(communicator_ ? communicator_->begin_recording(accelerator_)
                    : accelerator_.begin_recording());
  recording_now_ = true;
  const Status done = cycle();
  recording_now_ = false;
  auto recording = communicator_ && done.ok() ? communicator_->end_recording(accelerator_)
                                              : accelerator_.end_recording();
  if (!done.ok()) return done;
  if (!recording.ok()) return recording.failure();
  recording_ = std::move(recording).value();
  recorded_ = true;
  return Done{};
}

Status Replays::replay(int64_t times) {
  if (communicator_) return communicator_->replay(accelerator_, recording_, times);
  for (int64_t n = 0; n < times; ++n) {
    TRY(accelerator_.replay(recording_));
  }
  return Done{};
}

}  // namespace stencil::runtime
