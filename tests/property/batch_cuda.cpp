// Modules are compiled side by side, each by itself: NVRTC takes milliseconds to start, so nothing
// would be gained by giving it several at once, and a kernel runs as its user's would. Runs follow
// one another, each module unloaded after its own.
#include <memory>

#include "compiler/support/threads.h"
#include "runtime/devices/cuda_device.h"
#include "tests/property/batch.h"

namespace stencil::property {

std::string run_on_cuda(std::vector<Item>& items, int threads) {
  const runtime::Device cuda = runtime::cuda_device();
  std::vector<std::unique_ptr<runtime::LoadedProgram>> loaded(items.size());
  const auto load = [&](int64_t i, int64_t) {
    Item& item = items[static_cast<size_t>(i)];
    auto result = cuda.load({item.program, &item.module}, "");
    if (result.ok()) {
      loaded[static_cast<size_t>(i)] = std::move(result).value();
      return;
    }
    item.refused = result.failure().code == "R043";
    if (!item.refused) item.problem = result.failure().message.substr(0, 8000);
  };
  in_ranges(static_cast<int64_t>(items.size()), 1, load, threads);
  for (size_t i = 0; i < items.size(); ++i) {
    if (loaded[i]) run_loaded(*loaded[i], items[i]);
    loaded[i].reset();
  }
  return "";
}

}  // namespace stencil::property
