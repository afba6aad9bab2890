// The choice for a program with several grids: each considerable phase of its step is a program for
// which a line is chosen as for any other program.
#pragma once

#include <functional>
#include <optional>

#include "compiler/schedule/scheduler.h"
#include "runtime/run/run.h"

namespace stencil::tune {

// Whether the lines of phases are chosen one by one.
bool is_chosen_by_phases(const schedule::Scheduler& scheduler);

// The lines that `choose` gives for the phases, as one line. A phase for which it gives none, or
// which reads reductions and so cannot run alone, has the settings of the model. nullopt: it gives
// none for any phase, or the combination is refused.
using ChooseLine = std::function<std::optional<runtime::KnownLine>(const ir::Program& phase)>;
std::optional<runtime::KnownLine> line_by_phases(const schedule::Scheduler& scheduler,
                                                 const ChooseLine& choose);

}  // namespace stencil::tune
