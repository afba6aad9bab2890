// The C++ that the `host` device compiles, each module by itself: compilers in process have nothing
// to start. What is tested is what the program says and what the device does, so nothing is
// optimised; what the optimiser makes of kernels is tested by `stencilc verify` and the examples.
// But for `--fp fast`: what values the optimiser may change is all that it adds. It takes most of
// the time, so one case in four is optimised; all of them by --long (STENCIL_LONG=1).
#include <cstdlib>
#include <functional>

#include "compiler/support/threads.h"
#include "runtime/devices/host_device.h"
#include "tests/property/batch.h"

namespace stencil::property {

namespace {

std::string run_item(const runtime::HostLibrary& library, Item& item) {
  const FpMode fp = item.module.fp;
  const char* longer = std::getenv("STENCIL_LONG");
  const bool all = longer && *longer == '1';
  const bool chosen = all || std::hash<std::string>()(item.module.name) % 4 == 0;
  const int optimisation = fp == FpMode::Fast && chosen ? 2 : 0;
  const auto object = library.compile(runtime::host_source(item.module), fp, optimisation);
  if (!object.ok()) return object.failure().message;
  auto kernels = library.load(object.value());
  if (!kernels.ok()) return kernels.failure().message;
  const auto program = runtime::load_host_kernels(library, item.module, std::move(kernels).value());
  if (!program.ok()) {
    item.refused = program.failure().code == "R043";
    return item.refused ? "" : program.failure().message;
  }
  run_loaded(*program.value(), item);
  return item.problem;
}

}  // namespace

std::string run_on_host(std::vector<Item>& items, int threads) {
  const auto& library = runtime::HostLibrary::open();
  if (!library.ok()) return library.failure().message;
  const auto run = [&](int64_t i, int64_t) {
    Item& item = items[static_cast<size_t>(i)];
    item.problem = run_item(library.value(), item).substr(0, 4000);
  };
  in_ranges(static_cast<int64_t>(items.size()), 1, run, threads);
  return "";
}

}  // namespace stencil::property
