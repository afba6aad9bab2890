// The C++ that the `host` device compiles, each module by itself: compilers in process have nothing
// to start. What is tested is what the program says and what the device does, so nothing is
// optimised; what the optimiser makes of kernels is tested by `stencilc verify` and the examples.
// But for `--fp fast`: what values the optimiser may change is all that it adds. It takes most of
// the time, so one case in four is optimised; all of them by --long (STENCIL_LONG=1).
#include <cstdlib>
#include <functional>
#include <memory>

#include "compiler/support/threads.h"
#include "runtime/devices/host_device.h"
#include "tests/property/batch.h"

namespace stencil::property {

namespace {

// Says what went wrong; null as well if the item is refused.
std::unique_ptr<runtime::LoadedProgram> load_module(const runtime::HostLibrary& library,
                                                    const kernel::Module& module, Item& item) {
  const FpMode fp = module.fp;
  const char* longer = std::getenv("STENCIL_LONG");
  const bool all = longer && *longer == '1';
  const bool chosen = all || std::hash<std::string>()(module.name) % 4 == 0;
  const int optimisation = fp == FpMode::Fast && chosen ? 2 : 0;
  const auto failed = [&](const Failure& failure) {
    item.problem = failure.message.substr(0, 4000);
    return nullptr;
  };
  const auto object = library.compile(runtime::host_source(module), fp, optimisation);
  if (!object.ok()) return failed(object.failure());
  auto kernels = library.load(object.value());
  if (!kernels.ok()) return failed(kernels.failure());
  auto program = runtime::load_host_kernels(library, module, std::move(kernels).value());
  if (program.ok()) return std::move(program).value();
  item.refused = program.failure().code == "R043";
  return item.refused ? nullptr : failed(program.failure());
}

void run_item(const runtime::HostLibrary& library, Item& item) {
  std::vector<std::unique_ptr<runtime::LoadedProgram>> loaded;
  for (const Piece& piece : pieces_of(item)) {
    loaded.push_back(load_module(library, *piece.module, item));
    if (!loaded.back()) return;
  }
  run_loaded(std::move(loaded), item);
  item.problem = item.problem.substr(0, 4000);
}

}  // namespace

std::string run_on_host(std::vector<Item>& items, const BatchOptions& options) {
  const auto& library = runtime::HostLibrary::open();
  if (!library.ok()) return library.failure().message;
  const auto run = [&](int64_t i, int64_t) {
    run_item(library.value(), items[static_cast<size_t>(i)]);
  };
  in_ranges(static_cast<int64_t>(items.size()), 1, run, options.threads);
  return "";
}

}  // namespace stencil::property
