// Expected compile times of kernels.
#pragma once

#include <cstddef>
#include <optional>

#include "compiler/ir/program.h"
#include "compiler/schedule/machine.h"
#include "compiler/schedule/schedule.h"

namespace stencil::tune {

// Expected seconds to compile kernels with `characters` characters of text, counted once for each
// instance of a piece of code (kernel::instances_of_nodes).
double compilation_of(double characters, bool on_cpu);

// Expected seconds to compile the kernels of the schedule; nullopt if the machine refuses it.
std::optional<double> compilation_of(const ir::Program& program, const schedule::Schedule& schedule,
                                     const schedule::Machine& machine);

}  // namespace stencil::tune
