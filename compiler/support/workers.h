// Work started before its result is needed.
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

// Threads that execute tasks in the order in which they are given.
class Workers {
 public:
  explicit Workers(int threads = wanted_threads());
  ~Workers();  // drops tasks that have not begun, waits for the others

  // If there is no thread, the work is done at once in the caller's thread.
  template <class Work>
  std::future<std::invoke_result_t<Work>> start(Work work) {
    std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
    auto result = task.get_future();
    queue(std::packaged_task<void()>([task = std::move(task)]() mutable { task(); }));
    return result;
  }
  // Waits until all tasks are done.
  void wait();

 private:
  void queue(std::packaged_task<void()> task);
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> waiting_;
  int busy_ = 0;
  bool ending_ = false;
  const Threads threads_;  // last, because threads use the other members
};

}  // namespace stencil
