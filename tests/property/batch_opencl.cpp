// OpenCL items go through the runtime's own device.
#include <cstdlib>

#include "runtime/device.h"
#include "tests/property/batch.h"

namespace stencil::property {

bool has_opencl() { return runtime::opencl_device().probe("").available; }

std::vector<std::string> run_on_opencl(std::vector<Item>& items) {
  std::vector<std::string> problems;
  const runtime::Device device = runtime::opencl_device();
  static const ir::Program kUnused;
  for (Item& item : items) {
    auto loaded = device.load({kUnused, &item.module}, "");
    if (!loaded.ok()) {
      problems.push_back(item.label + ": " + loaded.failure().message);
      continue;
    }
    auto session = loaded.value()->start(item.state);
    if (!session.ok()) {
      problems.push_back(item.label + ": " + session.failure().message);
      continue;
    }
    const auto ran = session.value()->advance(item.steps);
    const auto finished = session.value()->finish();
    if (!ran.ok()) problems.push_back(item.label + ": " + ran.failure().message);
    if (!finished.ok()) problems.push_back(item.label + ": " + finished.failure().message);
  }
  return problems;
}

}  // namespace stencil::property
