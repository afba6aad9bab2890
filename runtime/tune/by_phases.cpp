#include "runtime/tune/by_phases.h"

#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace stencil::tune {

namespace {

// Without the rest of the step, the values of its reductions do not exist.
bool reads_reductions(const ir::Program& phase) {
  for (const ir::Function& function : phase.functions) {
    for (const ir::Piece& piece : function.pieces) {
      for (const ir::Node& node : piece.graph.nodes()) {
        if (std::holds_alternative<ir::ReductionRef>(node.kind)) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool is_chosen_by_phases(const schedule::Scheduler& scheduler) {
  return scheduler.phases().mixed();
}

std::optional<runtime::KnownLine> line_by_phases(const schedule::Scheduler& scheduler,
                                                 const ChooseLine& choose) {
  std::string origin;
  const auto composed = scheduler.by_phases([&](const ir::Program& phase) {
    schedule::Scheduler alone(phase, scheduler.machine());
    const auto known = reads_reductions(phase) ? std::nullopt : choose(phase);
    if (known) {
      Diagnostics refusals;
      if (auto schedule = alone.parse(known->line, refusals)) {
        if (origin.empty()) origin = known->origin;
        return schedule;
      }
    }
    return std::optional(alone.choose().schedule);
  });
  if (!composed || origin.empty()) return std::nullopt;
  const int rank = scheduler.program().grid().rank();
  return runtime::KnownLine{schedule::print(*composed, rank), origin};
}

}  // namespace stencil::tune
