#include "compiler/schedule/planes/tile.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/rewrite.h"

namespace stencil::schedule {

using analysis::Reach;

PlanesTile::PlanesTile(const ir::Program& program, const Schedule& schedule,
                       const KernelOfSteps& kernel, PlanesPlan plan)
    : program_(program),
      schedule_(schedule),
      interface_(kernel.interface),
      plan_(std::move(plan)),
      alike_(kernel.or_fewer),
      builder_(interface_, kernel.module, kernel.name,
               fmt::format("{}{} step{} per pass: planes of a tile pass along {}, every step some "
                           "planes behind the one before.",
                           kernel.or_fewer ? "Up to " : "", kernel.steps,
                           kernel.steps == 1 ? "" : "s", axis_names(interface_.rank())[0])) {}

Expr PlanesTile::let(Body& body, const std::string& wanted, const Expr& value) {
  if (is_plain(value)) return value;
  const std::string name = builder_.names().unique(wanted);
  body.push_back({kernel::Let{name, value}});
  return kernel::variable(name, value->type);
}

Expr PlanesTile::constant(kernel::Module& module, const std::string& wanted, int64_t value,
                          const std::string& why) {
  return builder_.constant(
      module,
      plan_.steps == schedule_.time_tile ? wanted : fmt::format("{}_{}", wanted, plan_.steps),
      value, why);
}

void PlanesTile::take_names() {
  Names& names = builder_.names();
  axes_ = axis_names(interface_.rank());
  for (size_t d = 0; d < rank(); ++d) {
    points_.push_back(names.unique(axes_[d]));
    places_.push_back(images(d) ? names.unique("place_" + axes_[d]) : points_.back());
  }
  iteration_ = names.unique("n");
  step_ = names.unique("step");
  builder_.scope().over_steps(step_, plan_.steps, builder_.kernel(), [&](const Expr& step) {
    return alike_ ? kernel::add(first_step(), larger(kernel::sub(step, left_out()), literal(0)))
                  : time_of(step);
  });
  front_ = names.unique("front");
  side_ = names.unique("side");
  if (!alike_) return;
  size_t most = 0;  // components
  for (const ir::Field& field : program_.fields) most = std::max(most, field.components.size());
  while (values_.size() < most) values_.push_back(names.unique("value"));
  first_ = kernel::variable(names.unique("first"), Scalar::Bool);
  last_ = kernel::variable(names.unique("last"), Scalar::Bool);
}

Expr PlanesTile::cut(kernel::Module& module, Body& body) {
  Expr blocks = kernel::integer(1, Scalar::I64);
  Expr rest = kernel::convert(kernel::variable("block", Scalar::I64), Scalar::I32);
  origin_.resize(rank());
  begin_.resize(rank());
  end_.resize(rank());
  for (size_t d = rank(); d-- > 1;) {
    const Reach margin = plan_.margin[d];
    const Expr core =
        constant(module, "core_" + axes_[d], plan_.core(static_cast<int>(d)),
                 fmt::format("points of a tile in {}: {} places, less {} + {} that are recomputed",
                             axes_[d], plan_.cover[d], margin.low, margin.high));
    const int dimension = static_cast<int>(d);
    const Expr count =
        tiles_along(interface_, dimension, {plan_.core(dimension), core}, plan_.spared(dimension));
    blocks = kernel::mul(blocks, kernel::convert(count, Scalar::I64));
    const Expr tiles = let(body, "tiles_" + axes_[d], count);
    const Expr number = let(body, "number_" + axes_[d], modulo(rest, tiles));
    rest = kernel::operation(Op::Div, {rest, tiles});
    place_tile(d, number, core, tiles, body);
  }
  const Expr chunk = constant(module, "chunk", plan_.chunk,
                              fmt::format("planes in {} that a block writes", axes_[0]));
  const Expr chunks = tiles_along(interface_, 0, {plan_.chunk, chunk}, 0);
  blocks = kernel::mul(blocks, kernel::convert(chunks, Scalar::I64));
  begin_[0] = let(body, "begin_" + axes_[0], kernel::add(low(0), kernel::mul(rest, chunk)));
  end_[0] = let(body, "end_" + axes_[0],
                kernel::operation(Op::Min, {kernel::add(begin_[0], chunk), plus(high(0), 1)}));
  return blocks;
}

void PlanesTile::place_tile(size_t d, const Expr& number, const Expr& core, const Expr& tiles,
                            Body& body) {
  const Reach margin = plan_.margin[d];
  Expr origin = kernel::add(low(d), kernel::mul(number, core));
  if (images(d)) origin = plus(origin, -margin.low);
  origin_[d] = let(body, "origin_" + axes_[d], origin);
  begin_[d] = plus(origin_[d], margin.low);
  end_[d] = kernel::add(begin_[d], core);
  if (images(d)) {
    end_[d] = kernel::operation(Op::Min, {end_[d], plus(high(d), 1)});
  } else {
    const Expr is_first = kernel::operation(Op::Eq, {number, literal(0)});
    const Expr is_last = kernel::operation(Op::Eq, {plus(number, 1), tiles});
    begin_[d] = kernel::operation(Op::Select, {is_first, origin_[d], begin_[d]});
    end_[d] = kernel::operation(Op::Select, {is_last, plus(high(d), 1), end_[d]});
  }
  begin_[d] = let(body, "begin_" + axes_[d], begin_[d]);
  end_[d] = let(body, "end_" + axes_[d], end_[d]);
}

void PlanesTile::declare_rings(kernel::Module& module) {
  for (size_t d = 1; d < rank(); ++d) {
    lengths_.push_back(
        constant(module, "tile_" + axes_[d], plan_.cover[d], "places of a tile in " + axes_[d]));
  }
  rings_.resize(plan_.versions.size());
  std::map<std::pair<int64_t, int64_t>, std::vector<int>> arrays;  // versions that are one
  for (const PlanesStage& stage : plan_.stages) {
    const PlanesVersion& made = version(stage.result);
    if (made.ring == 0) continue;
    const auto function = static_cast<int64_t>(stage.function);
    arrays[alike_ ? std::pair(function, int64_t{0}) : std::pair(int64_t{made.field}, made.ring)]
        .push_back(stage.result);
  }
  for (const auto& [key, versions] : arrays) declare_ring(versions);
}

void PlanesTile::declare_ring(std::vector<int> versions) {
  const PlanesVersion& any = version(versions[0]);
  const auto stage_of = [&](int id) -> const PlanesStage& {
    return plan_.stages[static_cast<size_t>(version(id).stage)];
  };
  std::vector<Expr> extents = {literal(any.ring)};
  extents.insert(extents.end(), lengths_.begin(), lengths_.end());
  const bool several = alike_ ? stage_of(versions[0]).step == 0 : versions.size() > 1;
  if (several) extents.insert(extents.begin(), literal(static_cast<int64_t>(versions.size())));
  PlanesRing ring{any.ring, {}, {}};
  const ir::Field& field = field_of(any);
  for (size_t c = 0; c < field.components.size(); ++c) {
    const auto kept = [&](int id) { return is_kept(id, static_cast<int>(c)); };
    ring.components.push_back(-1);
    if (std::none_of(versions.begin(), versions.end(), kept)) continue;
    const std::string name = interface_.array_name(any.field, static_cast<int>(c));
    ring.components.back() =
        builder_.local(kernel::Space::Shared, name + "_planes", field.components[c].type, extents,
                       fmt::format("planes of {} after a step", name));
  }
  if (alike_) versions = with_last(versions);
  for (size_t i = 0; i < versions.size(); ++i) {
    PlanesRing& own = rings_[static_cast<size_t>(versions[i])] = ring;
    const int steps_ago = plan_.steps - 1 - stage_of(versions[i]).step;
    if (!several) continue;
    own.version = {alike_ ? plus(kernel::variable(step_), -steps_ago)
                          : literal(static_cast<int64_t>(i))};
  }
}

std::vector<int> PlanesTile::with_last(std::vector<int> versions) const {
  const size_t function = plan_.stages[static_cast<size_t>(version(versions[0]).stage)].function;
  for (const PlanesStage& stage : plan_.stages) {
    const bool last = stage.function == function && stage.step == plan_.steps - 1;
    if (last && versions.back() != stage.result) versions.push_back(stage.result);
  }
  return versions;
}

bool PlanesTile::is_kept(int id, int component) const {
  if (version(id).output >= 0) return true;
  return std::any_of(plan_.stages.begin(), plan_.stages.end(), [&](const PlanesStage& stage) {
    if (stage.carries && stage.old == id) return true;
    const ir::Function& function = function_of(stage);
    return std::any_of(function.pieces.begin(), function.pieces.end(), [&](const ir::Piece& piece) {
      const std::vector<bool> needed = ir::reachable(piece.graph, piece.results);
      for (ir::NodeId n = 0; n < piece.graph.size(); ++n) {
        const auto* access = std::get_if<ir::Access>(&piece.graph[n].kind);
        if (!access || !needed[static_cast<size_t>(n)] || access->component != component) continue;
        const auto source = stage.source.find({access->field, access->level});
        if (source != stage.source.end() && source->second == id) return true;
      }
      return false;
    });
  });
}

Expr PlanesTile::image(size_t d) const {
  const Reach margin = plan_.margin[d];
  return wrap(interface_, program_.grid, static_cast<int>(d), kernel::variable(places_[d]),
              margin.low, margin.high);
}

Expr PlanesTile::time_of(const Expr& step) const {
  const Expr done = kernel::add(first_step(), step);
  return alike_ ? kernel::sub(done, left_out()) : done;
}

Expr PlanesTile::slot(const PlanesRing& ring, int64_t age) const {
  const Expr n = kernel::variable(iteration_);
  return modulo(age == 0 ? n : plus(n, ring.planes - age), literal(ring.planes));
}

std::vector<Expr> PlanesTile::ring_index(int id, const Expr& slot,
                                         const std::vector<Expr>& at) const {
  std::vector<Expr> out = rings_[static_cast<size_t>(id)].version;
  out.push_back(slot);
  for (size_t d = 1; d < rank(); ++d) out.push_back(at.empty() ? local(d) : at[d - 1]);
  return out;
}

}  // namespace stencil::schedule
