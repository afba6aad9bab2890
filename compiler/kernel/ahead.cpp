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
  if (!module.plan.stop || !module.plan.repeats.empty()) return std::nullopt;
  std::optional<size_t> turn;
  for (size_t i = 0; i < module.plan.actions.size(); ++i) {
    const auto* launch = std::get_if<Launch>(&module.plan.actions[i]);
    if (!launch) {
      turn = turn.value_or(i);
    } else if (turn || writes_for_good(module, *launch)) {
      return std::nullopt;
    }
  }
  return turn.value_or(module.plan.actions.size());
}

}  // namespace stencil::kernel
