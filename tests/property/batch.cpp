// What the devices that run a batch have in common.
#include "tests/property/batch.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace stencil::property {

void run_loaded(const runtime::LoadedProgram& program, Item& item) {
  auto session = program.start(item.state);
  if (!session.ok()) {
    item.problem = session.failure().message;
    return;
  }
  const auto ran = session.value()->advance(item.steps);
  if (!ran.ok()) {
    item.problem = ran.failure().message;
    return;
  }
  const auto finished = session.value()->finish();
  if (!finished.ok()) item.problem = finished.failure().message;
}

void for_each_in_parallel(size_t count, int threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  const auto serve = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  const size_t wanted = std::min(count, static_cast<size_t>(std::max(threads, 1)));
  for (size_t t = 1; t < wanted; ++t) others.emplace_back(serve);
  serve();
  for (std::thread& thread : others) thread.join();
}

}  // namespace stencil::property
