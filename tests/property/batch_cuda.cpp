// Modules are compiled side by side, each by itself: NVRTC takes milliseconds to start, so nothing
// would be gained by giving it several at once, and a kernel runs as its user's would. Runs follow
// one another, each module unloaded after its own.
#include <memory>

#include "tests/property/batch.h"

namespace stencil::property {

std::string run_on_cuda(std::vector<Item>& items, int threads) {
  const runtime::Device cuda = runtime::cuda_device();
  std::vector<std::unique_ptr<runtime::LoadedProgram>> loaded(items.size());
  for_each_in_parallel(items.size(), threads, [&](size_t i) {
    Item& item = items[i];
    auto result = cuda.load({item.program, &item.module}, "");
    if (result.ok()) {
      loaded[i] = std::move(result).value();
      return;
    }
    item.refused = result.failure().code == "R043";
    if (!item.refused) item.problem = result.failure().message.substr(0, 8000);
  });
  for (size_t i = 0; i < items.size(); ++i) {
    if (loaded[i]) run_loaded(*loaded[i], items[i]);
    loaded[i].reset();
  }
  return "";
}

}  // namespace stencil::property
