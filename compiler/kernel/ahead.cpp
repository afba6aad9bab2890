// Decides how far a tile may run before the answer of the stop condition is known.
#include "compiler/kernel/passes.h"

namespace stencil::kernel {

namespace {

// True if the launch writes a level, or the memory of a reduction within the step: neither has a
// spare copy.
bool writes_for_good(const Module& module, const Launch& launch) {
  size_t argument = 0;
  for (const Buffer& buffer : module.kernels[launch.kernel].buffers) {
    if (buffer.space != Space::Global) continue;
    const auto [array, slot] = launch.arrays[argument++];
    if (buffer.read_only) continue;
    if (slot == kScratch || slot < module.plan.arrays[array].levels) return true;
  }
  return false;
}

}  // namespace

std::optional<size_t> answer_point(const Module& module) {
  if (!module.plan.stop) return std::nullopt;
  const std::vector<Action>& actions = module.plan.actions;
  std::optional<size_t> turn;
  for (size_t i = 0; i < actions.size(); ++i) {
    const auto* launch = std::get_if<Launch>(&actions[i]);
    if (std::holds_alternative<Repeat>(actions[i])) return std::nullopt;
    if (launch && (turn || writes_for_good(module, *launch))) return std::nullopt;
    if (!launch && !std::holds_alternative<HaloExchange>(actions[i])) turn = turn.value_or(i);
  }
  if (!turn) return actions.size();
  // Exchanges that precede the turn cannot be undone either.
  while (*turn > 0 && std::holds_alternative<HaloExchange>(actions[*turn - 1])) --*turn;
  return turn;
}

}  // namespace stencil::kernel
