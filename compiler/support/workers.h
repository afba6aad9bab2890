// Work done ahead of its need.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <type_traits>
#include <utility>

#include "compiler/support/threads.h"

namespace stencil {

// Threads that do what they are given, in that order.
class Workers {
 public:
  explicit Workers(int threads = wanted_threads());
  ~Workers();  // what has not begun is dropped, what has begun is waited for

  // Where no thread can be had, the work is done here and now.
  template <class Work>
  std::future<std::invoke_result_t<Work>> start(Work work) {
    std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
    auto result = task.get_future();
    queue(std::packaged_task<void()>([task = std::move(task)]() mutable { task(); }));
    return result;
  }
  // Until nothing is left to do.
  void wait();

 private:
  void queue(std::packaged_task<void()> task);
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> waiting_;
  int busy_ = 0;
  bool ending_ = false;
  const Threads threads_;  // last, so that they find the rest
};

}  // namespace stencil
