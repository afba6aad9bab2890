// A fake CUDA driver: a libcuda.so.1 whose device memory is the heap and whose kernels are
// functions of the test. It records the driver calls of a run and fails on demand, without a GPU.
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

// Calls are serialised, so several threads may use the driver.
struct FakeDriver {
  // Settings for tests.
  int architecture = 90;
  size_t memory = size_t{1} << 30;  // bytes of the device
  int shared_bytes = 232448;        // per block
  int threads = 1024;               // per block
  int megahertz = 1980;
  int registers = 40, local_bytes = 0;    // of every kernel, per thread
  int static_shared_bytes = 0;            // of every kernel, per block
  Code launch_code = 0;                   // result of a launch
  Code finish_code = 0;                   // result of waiting for kernels
  size_t pinned_limit = size_t{1} << 30;  // bytes of host memory that can be pinned
  double clock = 0;                       // device clock, in seconds
  double copy_seconds = 0;                // device time of a copy within the device
  std::function<void(const std::string& kernel, const LaunchConfig& config, void** parameters)>
      run = {};  // called for each launch
  // The number of parameters of a kernel, each with at least 8 readable bytes. If it is set, `run`
  // is also called for launches by graphs.
  std::function<int(const std::string& kernel)> parameters = {};

  // Observed calls.
  std::map<Address, size_t> allocated;       // address -> bytes, not yet freed
  std::set<std::string> functions;           // looked up by name
  std::map<std::string, int> shared_raised;  // kernel -> bytes of dynamic shared memory allowed
  std::vector<std::string> launched;         // including launches by graphs
  std::optional<std::vector<std::string>> capture;  // of the stream being captured
  std::vector<std::string> forbidden;               // calls that a capture does not allow
  int graphs = 0, replays = 0;                      // live graphs; launches of graphs
  std::vector<std::pair<Address, Address>> copied;  // (to, from), within the device
  int copied_by_kernel = 0;                         // those of `copied` done by a kernel
  std::set<Stream> used;                            // by launches and copies within the device
  int copies_of_rows = 0;
  size_t downloaded = 0;                     // bytes of dense copies to the host
  int cleared = 0;                           // cleared allocations, or parts of them
  int modules = 0, streams = 0, events = 0;  // not yet unloaded, not yet destroyed
  std::map<Address, size_t> pinned;          // host address -> bytes, not yet freed
  int pageable_copies = 0;                   // copies from or to unpinned host memory
  std::map<Event, double> recorded;          // device clock at the time
  std::set<Event> begun;                     // recorded after a launch had begun
  std::vector<Stream> begun_before;          // streams that wait for such an event
};

// The driver's state, through a symbol of the library found with dlsym.
using FakeDriverFunction = FakeDriver& (*)();
constexpr const char* kFakeDriverSymbol = "stencil_fake_driver";

// Resets and returns the state; null if another driver is loaded instead.
inline FakeDriver* fresh_fake_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto find =
      library ? reinterpret_cast<FakeDriverFunction>(dlsym(library, kFakeDriverSymbol)) : nullptr;
  if (find == nullptr) return nullptr;
  find() = FakeDriver{};
  return &find();
}

}  // namespace stencil::runtime::cuda
