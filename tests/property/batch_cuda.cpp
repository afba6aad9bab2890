// Modules are compiled concurrently and separately. NVRTC starts within milliseconds, so combining
// modules would save nothing, and each kernel runs as for a user. Modules run one after another,
// and each is unloaded after its run.
#include <memory>
#include <string>

#include "compiler/support/threads.h"
#include "runtime/devices/cuda_device.h"
#include "tests/property/batch.h"

namespace stencil::property {

std::string run_on_cuda(std::vector<Item>& items, const BatchOptions& options) {
  const runtime::Device cuda = runtime::cuda_device();
  std::vector<std::vector<std::unique_ptr<runtime::LoadedProgram>>> loaded(items.size());
  const auto load = [&](int64_t i, int64_t) {
    Item& item = items[i];
    for (const Piece& piece : pieces_of(item)) {
      const auto gpu = loaded[i].size() % static_cast<size_t>(options.gpus);
      auto result = cuda.load({*piece.program, piece.module}, std::to_string(gpu));
      if (result.ok()) {
        loaded[i].push_back(std::move(result).value());
        continue;
      }
      item.refused = result.failure().code == "R043";
      if (!item.refused) item.problem = result.failure().message.substr(0, 8000);
      return loaded[i].clear();
    }
  };
  in_ranges(static_cast<int64_t>(items.size()), 1, load, options.threads);
  for (size_t i = 0; i < items.size(); ++i) {
    if (!loaded[i].empty()) run_loaded(std::move(loaded[i]), items[i]);
  }
  return "";
}

}  // namespace stencil::property
