#include "compiler/driver/boxes.h"

#include <algorithm>

#include "compiler/schedule/common/interface.h"
#include "compiler/schedule/common/plain.h"
#include "compiler/schedule/scheduler.h"

namespace stencil {

namespace {

std::vector<std::array<kernel::Expr, 2>> bounds_of(const schedule::Interface& interface,
                                                   const ir::Box& box) {
  std::vector<std::array<kernel::Expr, 2>> out;
  for (const ir::Range& range : box.ranges) {
    out.push_back({interface.affine(range.low), interface.affine(range.high)});
  }
  return out;
}

std::vector<std::array<int64_t, 2>> widths(const analysis::Margin& margin) {
  std::vector<std::array<int64_t, 2>> out;
  for (const analysis::Reach& reach : margin) out.push_back({reach.low, reach.high});
  return out;
}

}  // namespace

std::optional<kernel::Module> lower_boxes(const decompose::BoxProgram& box, const std::string& line,
                                          schedule::Machine machine, Diagnostics& diagnostics) {
  machine.in_place = true;
  schedule::Scheduler scheduler(box.program, machine);
  Diagnostics own;
  std::optional<kernel::Module> module;
  if (auto schedule = scheduler.parse(line, own)) {
    schedule->rows = schedule::Rows::Auto;
    module = scheduler.lower(*schedule, own);
  }
  for (Diagnostic each : own.items()) {
    each.message = "for boxes: " + each.message;
    diagnostics.add(std::move(each));
  }
  return module;
}

emit::BoxPart box_part(const decompose::BoxProgram& box, kernel::Module module) {
  emit::BoxPart out;
  const schedule::Interface interface(box.program);
  const auto& parameters = module.plan.parameters;
  out.given = static_cast<size_t>(
      std::count_if(parameters.begin(), parameters.end(),
                    [&](const auto& parameter) { return parameter.param < box.first; }));
  out.steps = box.steps;
  out.grid = bounds_of(interface, box.whole);
  out.halo = widths(box.depth);
  out.wraps = box.wraps;
  out.left_out = box.left_out;
  for (size_t a = 0; a < module.plan.arrays.size(); ++a) {
    const kernel::Array& array = module.plan.arrays[a];
    const ir::Field& field = box.program.fields[array.field];
    out.memory.emplace_back();
    if (!field.read_in_place()) out.memory.back() = bounds_of(interface, field.box);
    for (const decompose::Need& need : box.needs) {
      if (need.field != array.field) continue;
      out.filled.push_back({static_cast<int>(a), need.level, widths(need.margin)});
    }
  }
  out.module = std::move(module);
  out.initial = schedule::lower_initial_values(box.program);
  return out;
}

}  // namespace stencil
