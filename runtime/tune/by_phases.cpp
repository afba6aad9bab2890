#include "runtime/tune/by_phases.h"

#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace stencil::tune {

bool is_chosen_by_phases(const schedule::Scheduler& scheduler) {
  return scheduler.phases().mixed();
}

std::optional<runtime::KnownLine> line_by_phases(const schedule::Scheduler& scheduler,
                                                 const ChooseLine& choose) {
  std::string origin;
  const auto composed = scheduler.by_phases([&](const ir::Program& phase) {
    schedule::Scheduler alone(phase, scheduler.machine());
    if (const auto known = choose(phase)) {
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
