// The entry points of an emitted file for boxes (compiler/decompose/box.h): what the file needs to
// know of the box program beside its kernels, and what it says to its user.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::emit {

struct BoxPart {
  kernel::Module module;   // of the box program, of the name of the whole's; rows are dense
  kernel::Module initial;  // as HostModules::initial
  // Of the whole: so many params of the module's plan. Those behind them are the low and the high
  // bound of the box in each dimension, outermost first, two by two, and what follows from these.
  size_t given = 0;
  int64_t steps = 1;                              // of a call, at most
  std::vector<std::array<kernel::Expr, 2>> grid;  // the whole, per dimension: its bounds, I32
  std::vector<std::array<int64_t, 2>> halo;       // points below and above, per dimension
  std::vector<bool> wraps;  // per dimension: the halo is there whatever the box
  // By array of the plan, per dimension: the bounds of its memory, I32. None for those that are the
  // same whatever the box.
  std::vector<std::vector<std::array<kernel::Expr, 2>>> memory;
  // What an exchange has to fill in, by array and level: how deep, below and above.
  struct Filled {
    int array = 0, level = 0;
    std::vector<std::array<int64_t, 2>> halo;
  };
  std::vector<Filled> filled;
  std::vector<std::string> left_out;  // reductions of the whole
};

}  // namespace stencil::emit
