// Many modules compiled and run at once, which makes thousands of random programs affordable.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "runtime/devices/device.h"
#include "tests/property/boxes.h"
#include "tests/property/relay.h"
#include "tests/property/subdomains.h"

namespace stencil::property {

// A module to run for some steps on a state, which is advanced in place.
struct Item {
  ir::Program program;
  kernel::Module module;           // its name must be unique in the batch
  std::shared_ptr<const Cut> cut;  // of a case cut into subdomains, whose modules replace `module`
  std::shared_ptr<const Boxed> boxed;  // of a case in boxes; `module` is its box program
  std::shared_ptr<const Relay> relay;  // of a case whose schedule changes during the run
  reference::State state;
  std::vector<bool> given;  // by ParamId; the others have defaults or are derived
  int64_t steps = 0;
  std::string label;    // seed, schedule, mode: reproduces the case
  std::string problem;  // set by the run: the failure, or empty
  bool refused =
      false;  // set by the run: the program exceeds a limit of the device or its compiler
};

struct BatchOptions {
  int threads = 1;  // most threads of the host
  int gpus = 1;     // GPUs over which subdomains of cut items are spread
};

// Runs every item. Returns a failure that kept the whole batch from running, or "".
using RunBatch = std::string (*)(std::vector<Item>& items, const BatchOptions& options);

// C++ compiled in process by the `host` device, and run on it.
std::string run_on_host(std::vector<Item>& items, const BatchOptions& options);

// Emitted C++ files: all modules in one translation unit, compiled by the system compiler.
std::string run_on_cpp(std::vector<Item>& items, const BatchOptions& options);

// Emitted OpenCL C: all modules in one program, on the first OpenCL device (PoCL). Either each
// thread is a work-item, as on GPUs, or each block is one, as on CPUs.
std::string run_on_opencl(std::vector<Item>& items, const BatchOptions& options);
std::string run_on_opencl_loops(std::vector<Item>& items, const BatchOptions& options);

// Emitted CUDA C++: each module is a separate program for NVRTC, on the first GPU.
std::string run_on_cuda(std::vector<Item>& items, const BatchOptions& options);

// A module of an item, and the program that it was made from.
struct Piece {
  const ir::Program* program;
  const kernel::Module* module;
};
// The item's only piece, the pieces of its subdomains in order, or those of its relay.
std::vector<Piece> pieces_of(const Item& item);

// Runs an item from its first to its last step; `pieces` are its loaded pieces.
void run_loaded(std::vector<std::unique_ptr<runtime::LoadedProgram>> pieces, Item& item);

}  // namespace stencil::property
