// Threads are started for every piece of work and not kept. Shared work takes milliseconds, but
// starting a thread takes microseconds. Also, threads kept by a library would still run when the
// user's process forks or exits.
#include "compiler/support/threads.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>

#include "compiler/support/numbers.h"

namespace stencil {

namespace {

// The CPUs in the process's affinity mask. std::thread::hardware_concurrency() counts all CPUs.
int usable_cpus() {
  cpu_set_t usable;
  const bool known = sched_getaffinity(getpid(), sizeof usable, &usable) == 0;
  const int cpus =
      known ? CPU_COUNT(&usable) : static_cast<int>(std::thread::hardware_concurrency());
  return std::max(cpus, 1);
}

}  // namespace

std::optional<int> parse_threads(std::string_view text) {
  constexpr int kMost = 4096;
  const auto number = parse_integer(text, 1, kMost);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

int wanted_threads() {
  const char* const text = std::getenv("STENCIL_THREADS");
  const auto threads = parse_threads(text != nullptr ? text : "");
  return threads ? *threads : usable_cpus();
}

// On Linux the priority is that of the thread. 10 leaves it about a tenth of a busy CPU.
void lower_priority(ThreadId thread) {
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(thread), kNice);
}

ThreadId this_thread() {
  return static_cast<ThreadId>(syscall(SYS_gettid));
}

Threads::Threads(int first, int count, const std::function<void(int number)>& work) {
  threads_.reserve(static_cast<size_t>(std::max(count, 0)));
  try {
    for (int t = 0; t < count; ++t) threads_.emplace_back(work, first + t);
  } catch (const std::exception&) {
    // Out of memory, or a limit on threads: use those that have started.
  }
}

Threads::~Threads() {
  for (std::thread& thread : threads_) thread.join();
}

void in_threads(int count, const std::function<void(int number)>& work) {
  std::vector<std::exception_ptr> thrown(static_cast<size_t>(count));
  const auto run = [&](int number) {
    try {
      work(number);
    } catch (...) {
      thrown[number] = std::current_exception();
    }
  };
  {
    const Threads others(1, count - 1, run);
    for (int number = others.count() + 1; number < count; ++number) run(number);
    run(0);
  }
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

int parts_of(int64_t count, int64_t least) {
  if (count < 2 * least) return 1;  // small grids do not even look up the number of threads
  return static_cast<int>(std::min<int64_t>(wanted_threads(), count / least));
}

void in_parts(int parts, int64_t count,
              const std::function<void(int part, int64_t begin, int64_t end)>& work) {
  const int64_t whole = count / parts, rest = count % parts;
  in_threads(parts, [&](int part) {
    const int64_t begin = part * whole + std::min<int64_t>(part, rest);
    work(part, begin, begin + whole + (part < rest ? 1 : 0));
  });
}

void in_ranges(int64_t count, int64_t grain,
               const std::function<void(int64_t begin, int64_t end)>& work, int threads) {
  const int64_t ranges = count / grain + (count % grain != 0);
  std::atomic<int64_t> next = 0;
  in_threads(static_cast<int>(std::clamp<int64_t>(ranges, 1, std::max(threads, 1))), [&](int) {
    for (int64_t at = next.fetch_add(grain); at < count; at = next.fetch_add(grain)) {
      work(at, std::min(count, at + grain));
    }
  });
}

}  // namespace stencil
