// The C++ that the `host` device compiles, each module separately: an in-process compiler has no
// start-up cost. Code is not optimised, because the tests check its meaning and the device;
// `stencilc verify` and the examples test optimised kernels. The exception is --fp fast, whose only
// effect is that the optimiser may change values. Optimising takes most of the time, so one case in
// four is optimised, or all with --long (STENCIL_LONG=1).
#include <cstdlib>
#include <functional>
#include <memory>

#include "compiler/support/threads.h"
#include "runtime/devices/host_device.h"
#include "tests/property/batch.h"

namespace stencil::property {

namespace {

// Compiles and loads a module; reports failures in the item. Also null if the item is refused.
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
  const auto run = [&](int64_t i, int64_t) { run_item(library.value(), items[i]); };
  in_ranges(static_cast<int64_t>(items.size()), 1, run, options.threads);
  return "";
}

}  // namespace stencil::property
