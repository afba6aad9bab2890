// The parts of an emitted file that its entry points on boxes (compiler/decompose/box.h) need,
// besides the kernels of the whole program.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::emit {

struct BoxPart {
  kernel::Module module;   // the box program, named like the whole program; rows are dense
  kernel::Module initial;  // as HostModules::initial
  // The number of params of the whole program. They come first in the module's plan. The low and
  // high bound of the box in each dimension follow, outermost dimension first, and then the params
  // derived from these bounds.
  size_t given = 0;
  int64_t steps = 1;                              // the largest number of steps of a call
  std::vector<std::array<kernel::Expr, 2>> grid;  // bounds of the whole grid per dimension, I32
  std::vector<std::array<int64_t, 2>> halo;       // points below and above, per dimension
  std::vector<bool> wraps;                        // per dimension: periodic, halos are not clipped
  // Per array of the plan and dimension: the bounds of its memory, I32. Empty for arrays that are
  // the same for all boxes.
  std::vector<std::vector<std::array<kernel::Expr, 2>>> memory;
  // The halo that an exchange must fill, per array and level: its width below and above.
  struct Filled {
    int array = 0, level = 0;
    std::vector<std::array<int64_t, 2>> halo;
  };
  std::vector<Filled> filled;
  std::vector<std::string> left_out;  // reductions of the whole program; boxes do not evaluate them
};

}  // namespace stencil::emit
