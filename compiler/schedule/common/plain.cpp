// Plain sweeps: one loop nest per stencil function, without tiles and threads. An emitted program
// checks itself against them. Plain sweeps use spare copies as `direct` does, but share nothing
// with time tiling.
#include "compiler/schedule/common/plain.h"

#include <fmt/format.h>

#include "compiler/schedule/common/phases.h"
#include "compiler/schedule/common/reduction.h"
#include "compiler/schedule/common/sweep.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

namespace {

// Loop variables for the grid's coordinates.
Point loop_point(KernelBuilder& builder) {
  Point point;
  for (const std::string& axis : axis_names(builder.interface().rank())) {
    point.push_back(kernel::variable(builder.names().unique(axis)));
  }
  return point;
}
// Loop variables for a field, which may lack grid dimensions or have a dimension for steps or
// points.
Point loop_point(KernelBuilder& builder, const ir::Field& field) {
  const auto axes = axis_names(builder.interface().rank());
  Point point;
  for (int d = 0; d < field.box.rank(); ++d) {
    const int of_grid = field.dimension(static_cast<size_t>(d));
    const std::string name = of_grid == ir::kTime     ? "t"
                             : of_grid == ir::kPoints ? "p"
                                                      : axes[of_grid];
    point.push_back(kernel::variable(builder.names().unique(name)));
  }
  return point;
}

// for (z ...) for (y ...) for (x ...) body, in the single thread of a host function.
Body loop_nest(const Interface& interface, const ir::Box& box, const Point& point, Body body) {
  for (int d = box.rank() - 1; d >= 0; --d) {
    const auto& name = std::get<kernel::Variable>(point[d]->kind).name;
    Body outer;
    outer.push_back(
        {kernel::For{kernel::LoopKind::Serial, name, interface.low(box, d),
                     kernel::add(interface.high(box, d), kernel::integer(1)), 1, std::move(body)}});
    body = std::move(outer);
  }
  Body out;
  out.push_back({kernel::Threads{std::move(body)}});
  return out;
}

void lower_plain(const Interface& interface, const Sweep& sweep, kernel::Module& module) {
  Names kernel_names = interface.names_in(module);
  KernelBuilder builder(interface, module, kernel_names.unique("plain_" + sweep.function->name),
                        fmt::format("{} as a plain loop nest.", sweep.function->name));
  const Point point = loop_point(builder);
  builder.kernel().body = loop_nest(interface, sweep.domain, point,
                                    sweep_point(builder, sweep, point, builder.names()));
  builder.finish(kernel::integer(1, Scalar::I64), module);
  append_turn(interface, sweep, module.plan);
}

}  // namespace

kernel::Module lower_plain(const ir::Program& program) {
  const Interface interface(program);
  kernel::Module module = interface.empty_module();
  module.name += "_plain";
  const auto sweeps = plan_sweeps(program);
  for (const Sweep& sweep : sweeps) provide_copies(sweep, module.plan);
  append_phases(program, interface, module, [&](const ir::Phase& phase) {
    for (const size_t f : phase.functions) lower_plain(interface, sweeps[f], module);
  });
  append_reductions(program, Rows::Dense, module);
  return module;
}

kernel::Module lower_initial_values(const ir::Program& program) {
  const Interface interface(program);
  kernel::Module module = interface.empty_module();
  module.name += "_initial";
  Names kernel_names = interface.names();
  for (const ir::Init& init : program.inits) {
    const ir::Field& field = program.fields[init.field];
    for (int c = 0; c < interface.components(init.field); ++c) {
      const std::string array = interface.array_name(init.field, c);
      KernelBuilder builder(interface, module, kernel_names.unique("init_" + array),
                            fmt::format("Initial values of {}.", array));
      const Point point = loop_point(builder, field);
      Body body;
      const ReadAccess no_access = [](const ir::Access&, AccessResolver&) { return Expr(); };
      const auto value =
          evaluate(interface, init.piece.graph, {init.piece.results[c]}, point, kernel::integer(0),
                   no_access, builder.scope(), builder.names(), body);
      builder.store_global(init.field, c, 0, point, value[0], body);
      builder.kernel().body = loop_nest(interface, field.box, point, std::move(body));
      builder.finish(kernel::integer(1, Scalar::I64), module);
    }
  }
  return module;
}

}  // namespace stencil::schedule
