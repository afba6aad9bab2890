#include "compiler/schedule/parts/samples.h"

#include <utility>

#include "compiler/schedule/parts/statements.h"

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
    const Expr entries = module.plan.scratch[static_cast<size_t>(set.entries)].elements;
    const Expr elements = kernel::mul(entries, kernel::integer(time_tile - 1, Scalar::I64));
    module.plan.reductions[r].samples = static_cast<int>(module.plan.scratch.size());
    module.plan.scratch.push_back(
        {names.unique(record.name + "_samples"), ir::value_type(record), elements});
  }
}

kernel::BufferId Samples::memory(int scratch, bool stored) {
  const auto known = memory_.find(scratch);
  if (known != memory_.end()) return known->second;
  return memory_[scratch] = builder_.scratch(plan_, scratch, stored);
}

Body Samples::take(ir::FieldId field, const Expr& step, const Expr& plane,
                   const EachPoint& each_point) {
  const Interface& interface = builder_.interface();
  const ir::Program& program = interface.program();
  Names& names = builder_.names();
  Body out;
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& plan = plan_.reductions[r];
    if (!kernel::is_sampled(plan)) continue;
    const ir::Reduction& record = program.reductions[r];
    const ir::Sampled sampled = *ir::sampled_by(program, record);
    if (sampled.field != field) continue;
    const kernel::PointSet& set = interface.point_set(*record.at);
    const bool planes = interface.rank() > 1;
    const Expr index =
        planes ? kernel::sub(plane, interface.low(program.grid, 0)) : kernel::integer(0);
    Body in_step;
    const Expr slab =
        let(names, in_step, "slab", kernel::load(memory(set.slabs, false), {index}, Scalar::I32));
    const Expr done = plus(kernel::add(first_step(), step), 1);
    const Expr entries = plan_.scratch[static_cast<size_t>(set.entries)].elements;
    const kernel::BufferId samples = memory(plan.samples, true);
    const Scalar type = ir::value_type(record);
    const Body in_slab = each_point([&](const Point& at, const ValueAt& value) {
      return take_at(set, slab, at, [&](const Expr& entry) -> kernel::Statement {
        const Expr place = kernel::add(kernel::mul(kernel::convert(step, Scalar::I64), entries),
                                       kernel::convert(entry, Scalar::I64));
        return {kernel::Store{samples, {place}, kernel::convert(value(sampled.component), type)}};
      });
    });
    append(in_step, guarded(at_least(slab, literal(0)), in_slab));
    const Expr due = is_equal(modulo(done, literal(record.every)), literal(0));
    append(out, guarded(record.every == 1 ? kernel::boolean(true) : due, std::move(in_step)));
  }
  return out;
}

// For every entry of the grid point, which lies in the slab.
Body Samples::take_at(const kernel::PointSet& set, const Expr& slab, const Point& at,
                      const std::function<kernel::Statement(const Expr& entry)>& leave) {
  const Interface& interface = builder_.interface();
  const ir::Box& grid = interface.program().grid;
  Names& names = builder_.names();
  const int last = interface.rank() - 1;
  const auto from_low = [&](int d) {
    return kernel::sub(at[static_cast<size_t>(d)], interface.low(grid, d));
  };
  const auto bucket_of = [](const Expr& index) {
    return divided(index, kernel::integer(kernel::kPointBucket));
  };
  Expr row = kernel::convert(slab, Scalar::I64);
  const auto in_rows = [&](const Expr& extent, const Expr& index) {
    row = kernel::add(kernel::mul(row, kernel::convert(extent, Scalar::I64)),
                      kernel::convert(index, Scalar::I64));
  };
  for (int d = 1; d < last; ++d) in_rows(interface.extent(grid, d), from_low(d));
  const Expr farthest = plus(interface.extent(grid, last), -1);
  in_rows(plus(bucket_of(farthest), 1), bucket_of(from_low(last)));
  Body out;
  const Expr bucket = let(names, out, "bucket", row);
  const auto start = [&](const Expr& at_bucket) {
    return kernel::load(memory(set.starts, false), {at_bucket}, Scalar::I32);
  };
  const std::string entry = names.unique("entry");
  const Expr here = is_equal(
      kernel::load(memory(set.columns, false), {kernel::variable(entry)}, Scalar::I32), at.back());
  out.push_back(loop(kernel::LoopKind::Serial, entry, start(bucket),
                     start(kernel::add(bucket, kernel::integer(1, Scalar::I64))), 1,
                     guarded(here, as_body(leave(kernel::variable(entry))))));
  return out;
}

}  // namespace stencil::schedule
