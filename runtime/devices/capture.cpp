#include "runtime/devices/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "compiler/kernel/walk.h"

namespace stencil::runtime {

namespace {

Failure refused(const std::string& what, const std::string& why) {
  return {"R047", fmt::format("a CUDA graph cannot contain {}: {}", what, why),
          "end the capture before advance()"};
}

// The names of the scalars that have the number of the step.
std::set<std::string> step_numbers(const kernel::Kernel& kernel, const kernel::Launch& launch) {
  std::set<std::string> names;
  for (size_t s = 0; s < launch.scalars.size(); ++s) {
    const bool step = std::holds_alternative<kernel::FirstStep>(launch.scalars[s]);
    if (step) names.insert(kernel.scalars[s].name);
  }
  return names;
}

// Whether the buffer has the steps at which a reduction first became NaN.
bool is_first_nan(const kernel::Module& module, const kernel::Launch& launch,
                  kernel::BufferId buffer) {
  const auto& buffers = module.kernels[launch.kernel].buffers;
  if (buffers[buffer].space != kernel::Space::Global) return false;
  const auto number = std::count_if(  // arguments are the buffers in global memory, in order
      buffers.begin(), buffers.begin() + static_cast<int>(buffer),
      [](const auto& other) { return other.space == kernel::Space::Global; });
  const kernel::ArrayArgument& argument = launch.arrays[static_cast<size_t>(number)];
  const auto& reductions = module.plan.reductions;
  return argument.slot == kernel::kScratch &&
         std::any_of(reductions.begin(), reductions.end(),
                     [&](const auto& reduction) { return reduction.first_nan == argument.array; });
}

// Whether results depend on the number of the step. The step at which a reduction first became NaN
// is only reported.
bool depends_on_step(const kernel::Module& module, const kernel::Launch& launch) {
  const kernel::Kernel& kernel = module.kernels[launch.kernel];
  const std::set<std::string> numbers = step_numbers(kernel, launch);
  bool found = false;
  kernel::for_each_statement(kernel.body, [&](const kernel::Statement& statement) {
    const auto* store = std::get_if<kernel::Store>(&statement.kind);
    if (store && is_first_nan(module, launch, store->buffer)) return;
    kernel::for_each_expression(statement, [&](const kernel::Expr& expr) {
      kernel::for_each_node(expr, [&](const kernel::Expr& node) {
        const auto* variable = std::get_if<kernel::Variable>(&node->kind);
        found = found || (variable && numbers.count(variable->name) > 0);
      });
    });
  });
  return found;
}

}  // namespace

Status check_capture(const kernel::Module& module, const reference::State& state) {
  const kernel::Plan& plan = module.plan;
  if (plan.stop) {
    return refused("the stop condition of '" + module.name + "'", "the host reads its result");
  }
  for (const kernel::Reduction& reduction : plan.reductions) {
    if (reduction.in_step) continue;
    return refused(
        fmt::format("{} '{}'", reduction.record ? "record" : "reduction", reduction.name),
        "the host counts its evaluations and reads its values");
  }
  if (!plan.start.actions.empty() && state.step == 0) {
    Failure failure = refused("the 'start' block", "it runs once, and a graph repeats its work");
    failure.hint = "take the first step before the capture";
    return failure;
  }
  std::string numbered;
  kernel::for_each_action(plan, [&](const kernel::Action& action, const kernel::Loop&) {
    const auto* launch = std::get_if<kernel::Launch>(&action);
    if (launch && depends_on_step(module, *launch)) numbered = module.kernels[launch->kernel].name;
  });
  if (numbered.empty()) return Done{};
  return refused(fmt::format("kernel '{}'", numbered),
                 "it reads the number of the step, which a graph repeats");
}

Failure refused_in_capture(const char* what) {
  return {"R047", fmt::format("the call would {} while its stream is being captured", what),
          "make it before the capture; wait() completes what set() and attach_device() began"};
}

}  // namespace stencil::runtime
