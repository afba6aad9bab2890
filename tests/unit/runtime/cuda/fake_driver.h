// A stand-in for the CUDA driver: a libcuda.so.1 whose device memory is the heap and whose kernels
// are what a test says. It shows which calls a run makes, and fails on demand, without a GPU.
#pragma once

#include <dlfcn.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/devices/cuda_driver.h"

namespace stencil::runtime::cuda {

// Calls take turns, so several threads may be in the driver.
struct FakeDriver {
  // What a test may set.
  int architecture = 90;
  size_t memory = size_t{1} << 30;  // bytes of the device
  int shared_bytes = 232448;        // per block
  int threads = 1024;               // per block
  int megahertz = 1980;
  int registers = 40, local_bytes = 0;    // of every kernel, per thread
  int static_shared_bytes = 0;            // of every kernel, per block
  Code launch_code = 0;                   // what a launch returns
  Code finish_code = 0;                   // what waiting for kernels returns
  size_t pinned_limit = size_t{1} << 30;  // bytes of host memory that can be pinned
  double clock = 0;                       // seconds by the device's clock
  double copy_seconds = 0;                // that a copy within the device takes by it
  std::function<void(const std::string& kernel, const LaunchConfig& config, void** parameters)>
      run = {};  // what a launch does

  // What it has seen.
  std::map<Address, size_t> allocated;       // bytes of what has not been freed
  std::set<std::string> functions;           // looked up
  std::map<std::string, int> shared_raised;  // kernel -> bytes of dynamic shared memory allowed
  std::vector<std::string> launched;         // by graphs, too
  std::optional<std::vector<std::string>> capture;  // of a stream that is captured
  int graphs = 0, replays = 0;                      // that exist; launches of them
  std::vector<std::pair<Address, Address>> copied;  // to, from: within the device
  int copied_by_kernel = 0;                         // of these
  std::set<Stream> used;                            // by launches and copies within the device
  int copies_of_rows = 0;
  size_t downloaded = 0;                     // bytes of dense copies to the host
  int cleared = 0;                           // allocations, or parts of them
  int modules = 0, streams = 0, events = 0;  // not yet unloaded, not yet destroyed
  std::map<Address, size_t> pinned;          // bytes of host memory, not freed
  int pageable_copies = 0;                   // of the host's end
  std::map<Event, double> recorded;          // the clock at that time
  std::set<Event> begun;                     // recorded when a launch had begun
  std::vector<Stream> begun_before;          // streams that wait for such an event
};

// The driver's state; a symbol of the library, found by dlsym.
using FakeDriverFunction = FakeDriver& (*)();
constexpr const char* kFakeDriverSymbol = "stencil_fake_driver";

// It, as if nothing had been done; null if another driver is found before it.
inline FakeDriver* fresh_fake_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto find =
      library ? reinterpret_cast<FakeDriverFunction>(dlsym(library, kFakeDriverSymbol)) : nullptr;
  if (find == nullptr) return nullptr;
  find() = FakeDriver{};
  return &find();
}

}  // namespace stencil::runtime::cuda
