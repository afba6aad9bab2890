// The passes from mathematics to what schedules take, in one list.
//
//   semantic analysis --> the program as mathematics: rules stand on fields, sums and products are
//                         uncontracted, params are names, integers do not overflow
//       passes for all --> what the reference interpreter computes, and every schedule
//   passes for kernels --> what a schedule for one machine computes
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/ir/passes.h"
#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::ir {

// The machine for which kernels are made, as far as it concerns passes.
struct KernelTraits {
  bool threads_are_loops = false;
};

struct Pass {
  enum class For { All, Kernels };
  std::string_view name;  // for --print-after and --time-passes
  For stage;
  std::string_view does;
  bool (*wanted)(const Program& program, const KernelTraits& traits);
  Program (*run)(const Program& program);
  Form gives;  // what the result may contain
};

// All passes in the order in which they run. Each is verified in debug builds.
const std::vector<Pass>& lowering_passes();

// Runs the passes for all. Reports operations whose result overflows (S090) once the values of
// boundary rules are part of the graphs.
Program lower(const Program& mathematics, Diagnostics& diagnostics);

// Runs the passes for kernels. nullopt if none is wanted.
std::optional<Program> lower_for_kernels(const Program& program, const KernelTraits& traits);

}  // namespace stencil::ir
