#include "runtime/devices/launch_recordings.h"

#include <algorithm>

#include "compiler/host_ir/passes.h"
#include "compiler/support/try.h"

namespace stencil::runtime {

namespace {

// Different calls: slots of arrays change roles, so that the same arguments occur after some steps.
constexpr size_t kMostKnown = 16;

}  // namespace

Status LaunchRecordings::queue(std::vector<Accelerator::Call> calls) {
  if (static_cast<int64_t>(calls.size()) < host_ir::kFewestLaunches) return launch(calls);
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& one) { return one.calls == calls; });
  if (known == known_.end()) {
    TRY(launch(calls));
    if (known_.size() < kMostKnown) known_.push_back({std::move(calls)});
    return Done{};
  }
  if (!known->recorded) {
    TRY(accelerator_.begin_recording());
    const Status done = launch(calls);
    auto recording = accelerator_.end_recording();
    if (!done.ok()) return done;
    if (!recording.ok()) return recording.failure();
    known->recording = std::move(recording).value();
    known->recorded = true;
  }
  return accelerator_.replay(known->recording);
}

Status LaunchRecordings::launch(const std::vector<Accelerator::Call>& calls) {
  for (const Accelerator::Call& call : calls) TRY(accelerator_.launch(call));
  return Done{};
}

}  // namespace stencil::runtime
