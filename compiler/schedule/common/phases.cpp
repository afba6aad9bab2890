#include "compiler/schedule/common/phases.h"

#include <utility>

#include "compiler/schedule/common/exchange.h"
#include "compiler/schedule/common/reduction.h"

namespace stencil::schedule {

namespace {

// Marks actions from `first` on as executed once per step: their tiles have one iteration.
void do_once(kernel::Plan& plan, size_t first) {
  for (size_t i = first; i < plan.actions.size(); ++i) {
    if (auto* launch = std::get_if<kernel::Launch>(&plan.actions[i])) launch->steps = 0;
  }
}

}  // namespace

void append_phases(const ir::Program& program, const Interface& interface, kernel::Module& module,
                   const std::function<void(const ir::Phase&)>& add) {
  kernel::Plan& plan = module.plan;
  const bool cut = ir::cuts_steps(program);
  StepReductions reductions(program, interface, module);
  size_t occasion = 0;
  for (const auto& leaf : ir::leaves_of_step(program)) {
    if (cut) append_halo(program, interface, occasion++, true, module);
    const auto* phase = std::get_if<ir::Phase>(&leaf);
    if (!phase) {
      reductions.append(std::get<ir::Evaluations>(leaf));
      continue;
    }
    const size_t first = plan.actions.size();
    add(*phase);
    if (!cut) continue;
    const int time_tile = std::exchange(plan.time_tile, 1);
    std::vector<int> sizes = std::exchange(plan.tile_sizes, {});
    if (phase->iterations > 1) {
      plan.repeats.push_back(
          {first, plan.actions.size(), phase->iterations, time_tile, std::move(sizes)});
    } else {
      do_once(plan, first);
    }
  }
}

}  // namespace stencil::schedule
