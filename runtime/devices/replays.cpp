#include "runtime/devices/replays.h"

#include <algorithm>
#include <string>

namespace stencil::runtime {

Status Replays::settle(int64_t steps) {
  const bool can = parts_ ? parts_->records(accelerator_) : accelerator_.records();
  steps_ = can ? steps : 0;
  if (!parts_) return Done{};
  const auto all = parts_->all_gather(std::to_string(steps_));
  if (!all.ok()) return all.failure();
  const auto& said = all.value();
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
  const Result<double> taken = watch ? watch->seconds() : 0.0;
  if (!taken.ok()) return taken.failure();
  return settle(taken.value() < kSeconds * static_cast<double>(tiles) ? steps_ : 0);
}

Status Replays::record(const std::function<Status()>& cycle) {
  const Status begun =
      parts_ ? parts_->begin_recording(accelerator_) : accelerator_.begin_recording();
  if (!begun.ok()) return begun;
  recording_now_ = true;
  const Status done = cycle();
  recording_now_ = false;
  auto recording =
      parts_ && done.ok() ? parts_->end_recording(accelerator_) : accelerator_.end_recording();
  if (!done.ok()) return done;
  if (!recording.ok()) return recording.failure();
  recording_ = std::move(recording).value();
  recorded_ = true;
  return Done{};
}

Status Replays::replay(int64_t times) {
  if (parts_) return parts_->replay(accelerator_, recording_, times);
  for (int64_t n = 0; n < times; ++n) {
    const Status replayed = accelerator_.replay(recording_);
    if (!replayed.ok()) return replayed;
  }
  return Done{};
}

}  // namespace stencil::runtime
