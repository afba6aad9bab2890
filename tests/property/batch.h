// Many modules compiled and run at once: what makes thousands of random programs affordable.
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
#include "tests/property/parts.h"

namespace stencil::property {

// A module to run for some steps on a state, which is advanced in place.
struct Item {
  ir::Program program;
  kernel::Module module;               // its name must be unique in the batch
  std::shared_ptr<const Cut> cut;      // of a case cut into parts, which have modules instead
  std::shared_ptr<const Boxed> boxed;  // of a case done in boxes, whose program `module` is of
  reference::State state;
  std::vector<bool> given;  // params, by ParamId; the others have defaults or follow from these
  int64_t steps = 0;
  std::string label;    // seed, schedule, mode: to reproduce it
  std::string problem;  // set by the run: what went wrong, empty if nothing did
  bool refused =
      false;  // set by the run: the program exceeds a limit of the device or its compiler
};

struct BatchOptions {
  int threads = 1;  // of the host, at most
  int gpus = 1;     // that parts of cut items are spread over
};

// Runs every item; returns what kept the whole batch from running, empty if nothing did.
using RunBatch = std::string (*)(std::vector<Item>& items, const BatchOptions& options);

// The C++ that the `host` device compiles in process, on that device.
std::string run_on_host(std::vector<Item>& items, const BatchOptions& options);

// The emitted C++ files, all modules in one translation unit, compiled by the system's compiler.
std::string run_on_cpp(std::vector<Item>& items, const BatchOptions& options);

// The emitted OpenCL C, all modules in one program, on the first OpenCL device (PoCL): with a
// work-item per thread as on a GPU, or as CPUs get it, a block per work-item.
std::string run_on_opencl(std::vector<Item>& items, const BatchOptions& options);
std::string run_on_opencl_loops(std::vector<Item>& items, const BatchOptions& options);

// The emitted CUDA C++, each module a program of its own for NVRTC, on the first GPU.
std::string run_on_cuda(std::vector<Item>& items, const BatchOptions& options);

// A module of an item, with the program that it was made of.
struct Piece {
  const ir::Program* program;
  const kernel::Module* module;
};
// One, or those of the parts in order.
std::vector<Piece> pieces_of(const Item& item);

// Runs an item, whose pieces have been loaded, from its first step to its last.
void run_loaded(std::vector<std::unique_ptr<runtime::LoadedProgram>> pieces, Item& item);

}  // namespace stencil::property
