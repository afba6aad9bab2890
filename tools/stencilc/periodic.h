// Periodic work in the background.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "compiler/support/threads.h"

namespace stencil::tool {

// Calls `work` after each period in its own thread, if one can be created.
class Periodic {
 public:
  Periodic(std::chrono::milliseconds period, const std::function<void()>& work);
  ~Periodic();  // waits for a call in progress

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  const Threads thread_;  // last member, so that it ends first
};

}  // namespace stencil::tool
