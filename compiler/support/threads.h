// Threads: how many to use, and the only place that starts them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace stencil {

// The value of STENCIL_THREADS: a number from 1 to 4096, else nullopt.
std::optional<int> parse_threads(std::string_view text);

// The number of threads that share work: $STENCIL_THREADS, or if it is not set the number of CPUs
// that the process may use. Invalid values are reported before this is called
// (runtime/devices/environment.h).
int wanted_threads();

// A thread of this process, for lower_priority().
using ThreadId = int;
ThreadId this_thread();
// Lets a thread yield to threads of normal priority, for the rest of its life.
void lower_priority(ThreadId thread = this_thread());

// Threads that call work(first) ... work(first + count - 1), one each. There may be fewer than
// requested if the system has no more. `work` must not throw.
class Threads {
 public:
  Threads(int first, int count, const std::function<void(int number)>& work);
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads();  // waits until all have ended
  int count() const { return static_cast<int>(threads_.size()); }

 private:
  std::vector<std::thread> threads_;
};

// Calls work(0) ... work(count - 1) concurrently (count is at least 1), the first in the caller's
// thread, and returns when all have returned. If a thread cannot be started, the caller's thread
// does its part. If some calls throw, rethrows the exception of the first of them.
void in_threads(int count, const std::function<void(int number)>& work);

// The number of parts into which `count` pieces of work are divided: wanted_threads(), or fewer if
// a part would have less than `least` pieces; at least one.
int parts_of(int64_t count, int64_t least);

// Calls work(part, begin, end) as in_threads() does, for equal ranges of 0 .. count - 1. For work
// of uniform cost.
void in_parts(int parts, int64_t count,
              const std::function<void(int part, int64_t begin, int64_t end)>& work);

// Calls work(begin, end) for ranges of at most `grain` that together cover 0 .. count - 1. Each of
// at most `threads` threads takes the next range when it has finished one. Throws as in_threads()
// does; ranges may then be skipped.
void in_ranges(int64_t count, int64_t grain,
               const std::function<void(int64_t begin, int64_t end)>& work,
               int threads = wanted_threads());

}  // namespace stencil
