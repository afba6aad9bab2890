// Cases whose schedule changes during the run (LoadedProgram::take_over).
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::property {

struct Relay {
  std::vector<kernel::Module> modules;  // of the same program, besides Item::module
  std::vector<int64_t> lengths;         // steps of each module in turn, repeatedly
};

}  // namespace stencil::property
