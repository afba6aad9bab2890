#include "compiler/schedule/planes/context.h"

#include <algorithm>

#include "compiler/ir/rewrite.h"

namespace stencil::schedule {

PlanesContext::PlanesContext(const Schedule& schedule, const PlanesPlan& plan, bool alike,
                             KernelBuilder& builder)
    : schedule(schedule), plan(plan), alike(alike), builder(builder) {
  Names& names = builder.names();
  for (int d = 0; d < rank; ++d) {
    point_names.push_back(names.unique(axes[d]));
    place_names.push_back(images(d) ? names.unique("place_" + axes[d]) : point_names.back());
  }
  iteration = names.unique("n");
  step = names.unique("step");
  builder.scope().over_steps(step, plan.steps, builder.kernel(), [this](const Expr& any) {
    return this->alike ? kernel::add(first_step(), larger(kernel::sub(any, left_out()), literal(0)))
                       : time_of(any);
  });
  front = names.unique("front");
  side = names.unique("side");
  if (!alike) return;
  size_t most = 0;  // components of a function's results
  for (const ir::Function& function : program.functions) {
    most = std::max(most, ir::outputs(program, function).size());
  }
  while (value_names.size() < most) value_names.push_back(names.unique("value"));
  first = kernel::variable(names.unique("first"), Scalar::Bool);
  last = kernel::variable(names.unique("last"), Scalar::Bool);
}

bool PlanesContext::is_kept(int id, int component) const {
  if (version(id).output >= 0 || version(id).sampled) return true;
  return std::any_of(plan.stages.begin(), plan.stages.end(), [&](const PlanesStage& stage) {
    for (const analysis::StageResult& result : stage.results) {
      if (stage.carries && result.old == id) return true;
    }
    const ir::Function& function = function_of(stage);
    return std::any_of(function.pieces.begin(), function.pieces.end(), [&](const ir::Piece& piece) {
      const std::vector<bool> needed = ir::reachable(piece.graph, piece.results);
      for (ir::NodeId n = 0; n < piece.graph.size(); ++n) {
        const auto* access = std::get_if<ir::Access>(&piece.graph[n].kind);
        if (!access || !needed[n] || access->component != component) continue;
        const auto source = stage.source.find({access->field, access->level});
        if (source != stage.source.end() && source->second == id) return true;
      }
      return false;
    });
  });
}

Expr PlanesContext::image(int d) const {
  const analysis::Reach margin = plan.margin[d];
  return wrap(interface, program.grid(), d, place(d), margin.low, margin.high);
}

Point PlanesContext::points(int inside) const {
  Point out = points();
  for (int d = inside; d < rank; ++d) out[d] = place(d);
  return out;
}

Point PlanesContext::variables(const std::vector<std::string>& names) {
  Point out;
  for (const std::string& name : names) out.push_back(kernel::variable(name));
  return out;
}

}  // namespace stencil::schedule
