// Waits for the end and the next period together, so that the destructor does not wait for a
// period.
#include "tools/stencilc/periodic.h"

namespace stencil::tool {

Periodic::Periodic(std::chrono::milliseconds period, const std::function<void()>& work)
    : thread_(0, 1, [this, period, work](int) {
        std::unique_lock<std::mutex> held(mutex_);
        while (!ended_.wait_for(held, period, [this] { return ending_; })) work();
      }) {}

Periodic::~Periodic() {
  {
    const std::lock_guard<std::mutex> held(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
}

}  // namespace stencil::tool
