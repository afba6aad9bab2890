// Threads: how many there may be, and the one place that starts them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace stencil {

// What STENCIL_THREADS may be: a number from 1 to 4096.
std::optional<int> parse_threads(std::string_view text);

// How many threads work is shared among: $STENCIL_THREADS, or unless it is set as many as there are
// CPUs that the process may use. What it may not be is reported before anything asks
// (runtime/devices/environment.h).
int wanted_threads();

// Threads that call work(first) ... work(first + count - 1), one each; there may be fewer than
// asked for where the system has no more. `work` must not throw.
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

// Calls work(0) ... work(count - 1), one at least, at the same time, the first in the caller's
// thread, and returns when all have returned. Where a thread cannot be had, the caller's does its
// part. If some throw, throws what the first of them threw.
void in_threads(int count, const std::function<void(int number)>& work);

// In how many parts `count` pieces of work are shared: wanted_threads(), or fewer if a part had
// less than `least` pieces; one at least.
int parts_of(int64_t count, int64_t least);

// Calls work(part, begin, end) as in_threads() for every part: equal ranges of 0 .. count - 1, for
// work that costs alike everywhere.
void in_parts(int parts, int64_t count,
              const std::function<void(int part, int64_t begin, int64_t end)>& work);

// Calls work(begin, end) for ranges that together are 0 .. count - 1, each of at most `grain`. Each
// of at most so many threads takes the next range when it has done one. Throws as in_threads();
// then ranges may be left out.
void in_ranges(int64_t count, int64_t grain,
               const std::function<void(int64_t begin, int64_t end)>& work,
               int threads = wanted_threads());

}  // namespace stencil
