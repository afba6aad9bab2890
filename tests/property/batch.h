// Many modules compiled and run at once: what makes thousands of random programs affordable.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"

namespace stencil::property {

// A module to run for some steps on a state, which is advanced in place.
struct Item {
  kernel::Module module;  // its name must be unique in the batch
  reference::State state;
  int64_t steps = 0;
  std::string label;  // seed, schedule, mode: to reproduce it
};

// Runs every item; the texts of what went wrong, empty if nothing did.
using RunBatch = std::vector<std::string> (*)(std::vector<Item>& items);

// The emitted C++, all modules in one translation unit, compiled by the system's compiler.
std::vector<std::string> run_on_host(std::vector<Item>& items);

// The emitted OpenCL C, all modules in one program, on the first OpenCL device (PoCL).
std::vector<std::string> run_on_opencl(std::vector<Item>& items);
bool has_opencl();

}  // namespace stencil::property
