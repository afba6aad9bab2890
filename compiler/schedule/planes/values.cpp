#include "compiler/schedule/planes/values.h"

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/parts/levels.h"

namespace stencil::schedule {

Body PlanesValues::compute(const PlanesStage& stage, const ir::Piece& piece, bool inside) {
  Body body;
  const Point point = inside ? places() : points();
  const Expr step = step_of(stage);
  builder_.scope().at_step(step);
  const Expr time = time_of(step);
  const ReadAccess read = [&](const ir::Access& access, Landings& landings) {
    return this->read(stage, access, point, inside, landings);
  };
  const auto values = evaluate(interface_, piece.graph, piece.results, point, time, read,
                               builder_.scope(), builder_.names(), body);
  append(body, store(stage, values, point));
  return body;
}

Body PlanesValues::carry(const PlanesStage& stage) {
  const PlanesVersion& old = version(stage.old);
  const ir::Field& field = field_of(old);
  Body body;
  std::vector<Expr> values;
  for (size_t c = 0; c < field.components.size(); ++c) {
    const Expr value = cell(stage, stage.old, static_cast<int>(c), points());
    values.push_back(kernel::convert(value, field.components[c].type));
  }
  append(body, store(stage, values, points()));
  return body;
}

Body PlanesValues::store(const PlanesStage& stage, const std::vector<Expr>& values,
                         const Point& point) {
  const PlanesVersion& made = version(stage.result);
  const PlanesStage* before = earlier(stage);
  Body always, in_last, in_others;
  for (size_t c = 0; c < values.size(); ++c) {
    const int component = static_cast<int>(c);
    const bool kept = made.ring > 0 && is_kept(stage.result, component);
    const bool otherwise_kept = before ? is_kept(before->result, component) : kept;
    Expr value = values[c];
    if (before && made.ring == 0 && otherwise_kept) {
      always.push_back({kernel::Let{values_[c], value}});
      value = kernel::variable(values_[c], value->type);
    }
    if (made.ring == 0) {
      builder_.store_global(made.field, component, memory_slot(made), point, value,
                            before ? in_last : always);
    }
    if (!kept && !otherwise_kept) continue;
    Body& body = kept && otherwise_kept ? always : kept ? in_last : in_others;
    body.push_back(
        {kernel::Store{ring(stage.result, component),
                       ring_index(stage.result, slot(ring_of(stage.result), 0), {}), value}});
  }
  if (in_last.empty() && in_others.empty()) return always;
  always.push_back({kernel::If{last_, std::move(in_last), std::move(in_others)}});
  return always;
}

int PlanesValues::memory_slot(const PlanesVersion& made) const {
  return result_slot(field_of(made), schedule_.time_tile, plan_.steps, made.output);
}

Expr PlanesValues::cell(const PlanesStage& stage, int id, int component, const Point& point) {
  const PlanesVersion& v = version(id);
  const Scalar type = field_of(v).components[static_cast<size_t>(component)].type;
  const auto in_memory = [&] {
    return builder_.load_global({v.field, component, v.level, std::vector<int>(rank(), 0), 0},
                                point);
  };
  if (v.in_memory()) return in_memory();
  const Expr kept = kernel::load(ring(id, component),
                                 ring_index(id, slot(ring_of(id), stage.lag - lag_of(v)), {}),
                                 arithmetic_type(type));
  return from_step_before(stage, v) ? select(first_, in_memory(), kept) : kept;
}

Expr PlanesValues::read(const PlanesStage& stage, const ir::Access& access, const Point& point,
                        bool inside, Landings& landings) {
  const int id = stage.source.at({access.field, access.level});
  const PlanesVersion& v = version(id);
  ir::Access at = access;
  if (inside) at.escapes = 0;
  const Landing landing = landings.land(at);
  const auto in_memory = [&] {
    ir::Access there = at;
    there.level = v.level;
    return builder_.load_global(there, Landing{landing.point, {}});
  };
  if (v.in_memory()) return apply_boundary(landing, in_memory());
  const Scalar stored = field_of(v).components[static_cast<size_t>(access.component)].type;
  std::vector<Expr> index;
  for (size_t d = 1; d < rank(); ++d) index.push_back(place_read(v, at, d, point, landing));
  const Expr slot = slot_read(stage, id, at, point, landing);
  const Expr kept =
      kernel::load(ring(id, at.component), ring_index(id, slot, index), arithmetic_type(stored));
  return apply_boundary(landing,
                        from_step_before(stage, v) ? select(first_, in_memory(), kept) : kept);
}

bool PlanesValues::from_step_before(const PlanesStage& stage, const PlanesVersion& v) const {
  return alike_ && plan_.stages[static_cast<size_t>(v.stage)].step < stage.step;
}

Expr PlanesValues::place_read(const PlanesVersion& v, const ir::Access& access, size_t d,
                              const Point& point, const Landing& landing) const {
  const bool escapes = access.escapes_below(d) || access.escapes_above(d);
  const bool stays = access.offsets[d] == 0 && !moved(v, access, d);
  if (!escapes || stays || field_of(v).boundary[d].periodic()) {
    return plus(local(d), access.offsets[d]);
  }
  if (!images(d)) return kernel::sub(landing.point[d], origin_[d]);
  return kernel::add(local(d), kernel::sub(landing.point[d], point[d]));
}

bool PlanesValues::moved(const PlanesVersion& v, const ir::Access& access, size_t d) const {
  return ir::meets(field_of(v), access, d, ir::BoundaryKind::Clamp) ||
         ir::meets(field_of(v), access, d, ir::BoundaryKind::Mirror);
}

Expr PlanesValues::slot_read(const PlanesStage& stage, int id, const ir::Access& access,
                             const Point& point, const Landing& landing) const {
  const PlanesVersion& v = version(id);
  const int64_t planes = ring_of(id).planes;
  const int offset = access.offsets[0];
  const int64_t age = stage.lag - offset - lag_of(v);
  if (!moved(v, access, 0)) return slot(ring_of(id), age);
  // Further by as many planes as the rule moves the access. Another side may have a constant,
  // with which it moves up to `offset` planes and what is read is dropped: no number is negative.
  const Expr by = kernel::sub(landing.point[0], plus(point[0], offset));
  const int64_t rounds = (std::abs(offset) + planes - 1) / planes + 1;
  const Expr n = plus(kernel::variable(iteration_), rounds * planes - age);
  return modulo(kernel::add(n, by), literal(planes));
}

}  // namespace stencil::schedule
