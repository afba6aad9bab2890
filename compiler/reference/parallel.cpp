// Threads are started for every piece of work and not kept: what is shared takes milliseconds,
// starting a thread takes microseconds, and a library that keeps threads would have them at fork
// and exit of its user's process. The ranges are equal and fixed, since points cost alike.
#include "compiler/reference/parallel.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "compiler/support/threads.h"

namespace stencil::reference {

int parts_of(int64_t count, int64_t least) {
  if (count < 2 * least) return 1;  // asks for nothing on small grids
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return static_cast<int>(std::min<int64_t>(wanted_threads(processors), count / least));
}

void in_parts(int parts, int64_t count,
              const std::function<void(int part, int64_t begin, int64_t end)>& work) {
  std::vector<std::exception_ptr> thrown(static_cast<size_t>(parts));
  const auto run = [&](int part) {
    const int64_t whole = count / parts, rest = count % parts;
    const int64_t begin = part * whole + std::min<int64_t>(part, rest);
    try {
      work(part, begin, begin + whole + (part < rest ? 1 : 0));
    } catch (...) {
      thrown[static_cast<size_t>(part)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<size_t>(parts));
    int part = 1;  // the first is the caller's own
    try {
      for (; part < parts; ++part) threads.emplace_back(run, part);
    } catch (const std::system_error&) {
      for (; part < parts; ++part) run(part);
    }
    run(0);
  }  // joins
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

}  // namespace stencil::reference
