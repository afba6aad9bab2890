#include "compiler/schedule/common/samples.h"

#include <utility>

#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

void provide_samples(const Interface& interface, int time_tile, kernel::Module& module) {
  const ir::Program& program = interface.program();
  if (time_tile < 2) return;
  module.plan.reductions.resize(program.reductions.size());
  Names names = interface.names_in(module);
  for (size_t r = 0; r < program.reductions.size(); ++r) {
    const ir::Reduction& record = program.reductions[r];
    if (!ir::sampled_by(program, record)) continue;
    const kernel::PointSet& set = interface.point_set(*record.at);
    const Expr entries = module.plan.scratch[set.entries].elements;
    const Expr elements = kernel::mul(entries, kernel::integer(time_tile - 1, Scalar::I64));
    module.plan.reductions[r].samples = static_cast<int>(module.plan.scratch.size());
    module.plan.scratch.push_back(
        {names.unique(record.name + "_samples"), ir::value_type(record), elements});
  }
}

kernel::BufferId Samples::memory(int scratch) {
  const auto known = memory_.find(scratch);
  if (known != memory_.end()) return known->second;
  return memory_[scratch] = builder_.scratch(plan_, scratch, true);
}

std::vector<ir::Access> Samples::sets() const {
  const ir::Program& program = builder_.interface().program();
  std::vector<ir::Access> out;
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    if (!kernel::is_sampled(plan_.reductions[r])) continue;
    ir::Access weights{*program.reductions[r].at, 0, 0, {0}};
    weights.in_place = weights.at_points = true;
    out.push_back(std::move(weights));
  }
  return out;
}

Body Samples::take(ir::FieldId field, const Expr& step, const Lanes& lanes, const ValueAt& value) {
  const ir::Program& program = builder_.interface().program();
  Names& names = builder_.names();
  const auto for_each = [](const PointLanes::Loop& loop, Body body) {
    return loop ? loop(std::move(body)) : std::move(body);
  };
  Body out;
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& plan = plan_.reductions[r];
    if (!kernel::is_sampled(plan)) continue;
    const ir::Reduction& record = program.reductions[r];
    const ir::Sampled sampled = *ir::sampled_by(program, record);
    if (sampled.field != field) continue;
    const kernel::PointSet& set = builder_.interface().point_set(*record.at);
    const Expr all = plan_.scratch[set.entries].elements;
    Body part = lanes.lets, in_row, in_slab, per_entry, leave;
    const Expr slab = let(names, in_row, "slab", builder_.slab_of(set, lanes.first[0]));
    const auto [begin, end] = builder_.entries_of(set, slab, lanes.first, lanes.last_column);
    const std::string name = names.unique("entry");
    const Expr entry = kernel::variable(name);
    const Expr column = let(names, per_entry, "column",
                            kernel::load(builder_.table(set.columns), {entry}, Scalar::I32));
    const Expr place = kernel::add(kernel::mul(kernel::convert(step, Scalar::I64), all),
                                   kernel::convert(entry, Scalar::I64));
    leave.push_back(
        {kernel::Store{memory(plan.samples),
                       {place},
                       kernel::convert(value(sampled.component), ir::value_type(record))}});
    const Expr here = both(is_equal(column, lanes.column), lanes.column_exists);
    append(per_entry, for_each(lanes.for_each_column, guarded(here, std::move(leave))));
    in_slab.push_back(loop(kernel::LoopKind::Rolled, name, begin, end, 1, std::move(per_entry)));
    Expr some = at_least(slab, literal(0));
    if (lanes.row_first) {
      Point row = lanes.first;
      row.back() = lanes.row_first;
      const auto [first, last] =
          builder_.entries_of(set, larger(slab, literal(0)), row, lanes.row_last);
      some = both(some, kernel::less(first, last));
    }
    append(in_row, guarded(some, std::move(in_slab)));
    append(part, guarded(lanes.exists, std::move(in_row)));
    Body parts = for_each(lanes.for_each_part, std::move(part));
    const Expr done = plus(kernel::add(first_step(), step), 1);
    const Expr due = record.every == 1 ? kernel::boolean(true)
                                       : is_equal(modulo(done, literal(record.every)), literal(0));
    append(out, guarded(due, std::move(parts)));
  }
  return out;
}

}  // namespace stencil::schedule
