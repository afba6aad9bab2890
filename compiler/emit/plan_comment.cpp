// A file of OpenCL kernels has no host code, so the comment at its top says what a host must do:
// which buffers it needs, which kernels to launch with which sizes and arguments, and which buffers
// change roles. It lists the plan's actions in the order in which the runtime executes them.
#include "compiler/emit/plan_comment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/emit/expression.h"
#include "compiler/emit/host_api.h"

namespace stencil::emit {

namespace {

std::string slot_name(const kernel::Plan& plan, const kernel::ArrayArgument& argument) {
  const auto index = static_cast<size_t>(argument.array);
  if (argument.slot == kernel::kScratch) return plan.scratch[index].name;
  return fmt::format("{}[{}]", plan.arrays[index].name, argument.slot);
}

std::string scalar_name(const kernel::Plan& plan, const kernel::ScalarValue& value) {
  if (const auto* parameter = std::get_if<kernel::ParameterArgument>(&value)) {
    return plan.parameters[parameter->parameter].name;
  }
  if (std::holds_alternative<kernel::FirstBlock>(value)) return "0";
  return std::holds_alternative<kernel::FirstStep>(value) ? "(int)step" : "(int)count";
}

void describe_arrays(Text& out, const kernel::Module& module, ExpressionPrinter& printer) {
  out.comment(
      "Buffers (row-major, last index contiguous; each copy is one slot, slot 0 the newest):");
  for (const kernel::Array& array : module.plan.arrays) {
    std::string extents;
    for (const kernel::Expr& extent : kernel::stored_extents(array)) {
      extents += "[" + plain(printer.print(extent)) + "]";
    }
    const bool spare = array.copies > array.levels;
    std::string points;
    if (kernel::is_padded(array)) {
      points = fmt::format("; rows have {} points, from element {} on",
                           plain(printer.print(array.extents.back())),
                           plain(printer.print(kernel::lead_of(array))));
    }
    out.comment(fmt::format("  {} {}{}: {} slot(s){}{}{}", name(array.type), array.name, extents,
                            array.copies, array.written ? "" : ", read only", points,
                            spare ? "; spare slots start as copies of slot 0" : ""));
  }
  for (size_t s = 0; s < module.plan.scratch.size(); ++s) {
    const kernel::Scratch& scratch = module.plan.scratch[s];
    std::string use;
    for (const kernel::Reduction& reduction : module.plan.reductions) {
      if (reduction.first_nan != static_cast<int>(s)) continue;
      use = fmt::format("; steps done when {} was first NaN: set it to 0 before the run",
                        reduction.name);
    }
    out.comment(fmt::format("  {} {}[{}]: scratch memory of the run{}", name(scratch.type),
                            scratch.name, plain(printer.print(scratch.elements)), use));
  }
}

std::string describe_launch(const kernel::Module& module, const kernel::Launch& launch,
                            Names& names, ExpressionPrinter& printer) {
  const kernel::Kernel& kernel = module.kernels[launch.kernel];
  std::string arguments;
  for (const kernel::ArrayArgument& argument : launch.arrays) {
    arguments += (arguments.empty() ? "" : ", ") + slot_name(module.plan, argument);
  }
  for (const kernel::ScalarValue& value : launch.scalars) {
    arguments += (arguments.empty() ? "" : ", ") + scalar_name(module.plan, value);
  }
  const auto [x, y, z] = kernel::hardware_threads(kernel);
  const kernel::Expr size =
      kernel::mul(kernel::convert(launch.blocks, Scalar::I64), kernel::integer(x, Scalar::I64));
  const std::string when = launch.steps == 0 ? "" : fmt::format("if count is {}: ", launch.steps);
  return when + fmt::format("launch {}({}), local size {{{}, {}, {}}}, global size {{{}, {}, {}}}",
                            names.spell(kernel.name), arguments, x, y, z,
                            plain(printer.print(size)), y, z);
}

// Describes how often the actions below run, and with which counts.
std::string describe_repeat(const kernel::Repeat& repeat, int number) {
  if (repeat.time_tile == 1) {
    return fmt::format("  {}. {} times, with the same step (count is 1):", number,
                       repeat.iterations);
  }
  const std::string counts =
      repeat.tile_sizes.empty()
          ? fmt::format("count = min({}, iterations left)", repeat.time_tile)
          : fmt::format("count the first of {} that is at most the iterations left",
                        fmt::join(repeat.tile_sizes, ", "));
  return fmt::format("  {}. until {} iterations are done, {} each time, with the same step:",
                     number, repeat.iterations, counts);
}

// Describes the work at the end of a tile, as list items with numbers after `number`.
void describe_reductions(Text& out, const kernel::Module& module, Names& names,
                         ExpressionPrinter& printer, int number) {
  const kernel::Plan& plan = module.plan;
  for (const kernel::Reduction& reduction : plan.reductions) {  // those in the step are actions
    for (const kernel::Launch& launch : reduction.launches) {
      out.comment(fmt::format("  {}. if step + count is a multiple of {}: {}", ++number,
                              reduction.every, describe_launch(module, launch, names, printer)));
    }
  }
  if (!plan.stop) return;
  std::vector<std::string> named;
  for (int r : plan.stop->reductions) {
    named.push_back(plan.reductions[r].name);
  }
  out.comment(fmt::format(
      "  {}. if one of {} was just computed and all have values: {}; end if {} is not 0",
      number + 1, fmt::join(named, ", "),
      describe_launch(module, plan.stop->launch, names, printer),
      plan.scratch[plan.stop->result].name));
}

}  // namespace

void plan_comment(Text& out, const kernel::Module& module, Names& names) {
  const kernel::Plan& plan = module.plan;
  ExpressionPrinter printer(cpp_dialect(), module, names);
  out.comment("");
  describe_arrays(out, module, printer);
  if (plan.time_tile == 1) {
    out.comment("\nFor step = 0, 1, ... (count is 1):");
  } else if (!plan.tile_sizes.empty()) {
    out.comment(
        fmt::format("\nFrom step = 0 on, step += count with count the first of {} that is at most "
                    "steps - step:",
                    fmt::join(plan.tile_sizes, ", ")));
  } else {
    out.comment(fmt::format("\nFor step = 0, {0}, {1}, ... with count = min({0}, steps - step):",
                            plan.time_tile, 2 * plan.time_tile));
  }
  std::vector<std::string> periods;
  for (const kernel::Reduction& reduction : plan.reductions) {
    if (!kernel::is_sampled(reduction)) periods.push_back(fmt::format("{}", reduction.every));
  }
  if (plan.time_tile > 1 && !periods.empty()) {
    out.comment(fmt::format("where step + count does not exceed the next multiple of {}:",
                            fmt::join(periods, " or ")));
  }
  int number = 0;
  const auto describe_action = [&](const kernel::Action& action) {
    struct Visitor {
      const kernel::Module& module;
      Names& names;
      ExpressionPrinter& printer;
      std::string operator()(const kernel::Launch& launch) const {
        return describe_launch(module, launch, names, printer);
      }
      std::string operator()(const kernel::Rotate& rotate) const {
        const std::string when =
            rotate.steps == 1 ? "" : fmt::format("if count is {} or more: ", rotate.steps);
        return when + fmt::format("rotate {}: slot k becomes slot k+1, the last becomes slot 0",
                                  module.plan.arrays[rotate.array].name);
      }
      std::string operator()(const kernel::SwapSlots& swap) const {
        return fmt::format("swap slots {} and {} of {}", swap.a, swap.b,
                           module.plan.arrays[swap.array].name);
      }
    };
    return std::visit(Visitor{module, names, printer}, action);
  };
  for (const kernel::ActionRange& range : kernel::action_ranges(plan)) {
    if (range.repeat) out.comment(describe_repeat(*range.repeat, ++number));
    int within = 0;
    for (size_t i = range.first; i < range.end; ++i) {
      const std::string action = describe_action(plan.actions[i]);
      out.comment(range.repeat ? fmt::format("     {}.{}. {}", number, ++within, action)
                               : fmt::format("  {}. {}", ++number, action));
    }
  }
  describe_reductions(out, module, names, printer, number);
}

}  // namespace stencil::emit
