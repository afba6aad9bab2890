#include "compiler/schedule/planes/values.h"

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/common/levels.h"

namespace stencil::schedule {

namespace {

// Whether a boundary rule may move the access to another point.
bool moved(const ir::Field& field, const ir::Access& access, int d) {
  return ir::meets(field, access, d, ir::BoundaryKind::Clamp) ||
         ir::meets(field, access, d, ir::BoundaryKind::Mirror);
}

}  // namespace

Body PlanesValues::compute(const PlanesStage& stage, const ir::Piece& piece, int inside) const {
  Body body;
  const Point point = context_.points(inside);
  const Expr step = context_.step_of(stage);
  KernelScope& scope = context_.builder.scope();
  scope.at_step(step);
  const ReadAccess read_access = [&](const ir::Access& access, AccessResolver& resolver) {
    ir::Access at = access;
    if (access.in_place) return context_.builder.load_in_place(access, resolver);
    at.escapes &= (uint32_t{1} << (2 * inside)) - 1;
    return read(stage, at, point, resolver, inside < context_.rank ? &body : nullptr);
  };
  EdgeTests edges{ir::edge_conditions(context_.program, piece.graph)};
  edges.decide = [&](const ir::EdgeCondition& condition, const Expr& value) {
    return condition.dimension < inside ? value : kernel::boolean(condition.value_inside());
  };
  const auto values = evaluate(context_.interface, piece.graph, piece.results, point,
                               context_.time_of(step), read_access, scope, context_.builder.names(),
                               body, context_.builder.reductions(), {}, edges);
  append(body, store(stage, values, point));
  return body;
}

Body PlanesValues::carry(const PlanesStage& stage) const {
  std::vector<Expr> values;
  for (const analysis::StageResult& result : stage.results) {
    const ir::Field& field = context_.field_of(context_.version(result.old));
    for (size_t c = 0; c < field.components.size(); ++c) {
      const Expr value = cell(stage, result.old, static_cast<int>(c));
      values.push_back(kernel::convert(value, field.components[c].type));
    }
  }
  return store(stage, values, context_.points());
}

Body PlanesValues::write(const PlanesStage& stage) const {
  Body body;
  for (const analysis::StageResult& result : stage.results) {
    if (!context_.is_written_late(result.made)) continue;
    const PlanesVersion& made = context_.version(result.made);
    const ir::Field& field = context_.field_of(made);
    for (size_t i = 0; i < field.components.size(); ++i) {
      const int c = static_cast<int>(i);
      context_.builder.store_global(
          made.field, c, memory_slot(made), context_.places(),
          kernel::convert(newest(result.made, c), field.components[i].type), body);
    }
  }
  return body;
}

int PlanesValues::memory_slot(const PlanesVersion& made) const {
  return result_slot(context_.field_of(made), context_.schedule.time_tile, context_.plan.steps,
                     made.output);
}

// Stores to the rings, or to memory if there is no ring.
Body PlanesValues::store(const PlanesStage& stage, const std::vector<Expr>& values,
                         const Point& point) const {
  Stores to;
  size_t next = 0;
  for (size_t target = 0; target < stage.results.size(); ++target) {
    const PlanesVersion& version = context_.version(stage.results[target].made);
    const int components = static_cast<int>(context_.field_of(version).components.size());
    for (int c = 0; c < components; ++c, ++next) {
      const std::string name = context_.alike ? context_.value_names[next] : "";
      store(stage, target, c, values[next], name, point, to);
    }
  }
  if (to.in_last.empty() && to.in_others.empty()) return std::move(to.always);
  to.always.push_back({kernel::If{context_.last, std::move(to.in_last), std::move(to.in_others)}});
  return std::move(to.always);
}

// A body for all steps stores the value wherever the last step or the other steps keep it. A value
// that is neither read nor written to memory is not stored: it was computed only because its stage
// has other targets.
void PlanesValues::store(const PlanesStage& stage, size_t target, int component, const Expr& value,
                         const std::string& name, const Point& point, Stores& to) const {
  const int id = stage.results[target].made;
  const PlanesVersion& made = context_.version(id);
  const PlanesStage* before = context_.earlier(stage);
  const bool kept = made.ring > 0 && context_.is_kept(id, component);
  const bool otherwise_kept =
      before ? context_.is_kept(before->results[target].made, component) : kept;
  const bool to_memory = made.ring == 0 && made.output >= 0;
  Expr stored = value;
  if (before && to_memory && otherwise_kept) {
    to.always.push_back({kernel::Let{name, value}});
    stored = kernel::variable(name, value->type);
  }
  if (to_memory) {
    context_.builder.store_global(made.field, component, memory_slot(made), point, stored,
                                  before ? to.in_last : to.always);
  }
  if (!kept && !otherwise_kept) return;
  Body& body = kept && otherwise_kept ? to.always : kept ? to.in_last : to.in_others;
  body.push_back(rings_.store(id, component, stored));
}

template <class InMemory>
Expr PlanesValues::unless_first(const PlanesStage& stage, const PlanesVersion& v, const Expr& kept,
                                const InMemory& in_memory) const {
  // In a body for all steps, the first step reads from memory the values that other steps read from
  // the step before.
  const bool from_step_before = context_.alike && context_.maker(v).step < stage.step;
  return from_step_before ? select(context_.first, in_memory(), kept) : kept;
}

// A component of the old value that the stage replaces, at the point itself.
Expr PlanesValues::cell(const PlanesStage& stage, int old, int component) const {
  const PlanesVersion& v = context_.version(old);
  const auto in_memory = [&] {
    const std::vector<ir::IndexMap> here(context_.rank);
    return context_.builder.load_global({v.field, component, v.level, here, 0}, context_.points());
  };
  if (v.in_memory()) return in_memory();
  const Expr ring_index = rings_.ring_index(old, stage.lag - context_.maker(v).lag);
  return unless_first(stage, v, rings_.load(old, component, ring_index), in_memory);
}

// The value of an access with its field's boundary rules. If `body` is given, the load goes there
// unconditionally, even if a constant replaces the value: compilers turn conditional loads in rows
// into gathers.
Expr PlanesValues::read(const PlanesStage& stage, const ir::Access& access, const Point& point,
                        AccessResolver& resolver, Body* body) const {
  const int id = stage.source.at({access.field, access.level});
  const PlanesVersion& v = context_.version(id);
  const ResolvedAccess resolved = resolver.resolve(access);
  const auto in_memory = [&] {
    ir::Access there = access;
    there.level = v.level;
    return context_.builder.load_global(there, ResolvedAccess{resolved.point, {}});
  };
  const auto with_rules = [&](const Expr& value) {
    const bool early = body && !resolved.constants.empty();
    return apply_boundary(resolved, early ? context_.let(*body, "resolved", value) : value);
  };
  if (v.in_memory()) return with_rules(in_memory());
  std::vector<Expr> at;
  for (int d = 1; d < context_.rank; ++d) at.push_back(place_read(v, access, d, point, resolved));
  const Expr ring_index = ring_index_read(stage, id, access, point, resolved);
  const Expr kept = rings_.load(id, access.component, ring_index, at);
  return with_rules(unless_first(stage, v, kept, in_memory));
}

// Images are read like points. If a constant replaces the value, the load must still be within the
// ring. The resolved coordinate is clamped to the field, so it lies between the access and the
// point, which is in the ring.
Expr PlanesValues::place_read(const PlanesVersion& v, const ir::Access& access, int d,
                              const Point& point, const ResolvedAccess& resolved) const {
  const ir::Field& field = context_.field_of(v);
  const Expr local = context_.local(d);
  const bool escapes = access.escapes_below(d) || access.escapes_above(d);
  const bool stays = access.offset(d) == 0 && !moved(field, access, d);
  if (!escapes || stays || field.boundary[d].periodic()) return plus(local, access.offset(d));
  if (!context_.images(d)) return kernel::sub(resolved.point[d], tile_.origin[d]);
  return kernel::add(local, kernel::sub(resolved.point[d], point[d]));
}

Expr PlanesValues::ring_index_read(const PlanesStage& stage, int id, const ir::Access& access,
                                   const Point& point, const ResolvedAccess& resolved) const {
  const PlanesVersion& v = context_.version(id);
  const int offset = access.offset(0);
  const int64_t age = stage.lag - offset - context_.maker(v).lag;
  if (!moved(context_.field_of(v), access, 0)) return rings_.ring_index(id, age);
  // The ring index moves by as many planes as the rule moves the access. If the other side has a
  // constant, the access may move by up to `offset` planes and its value is unused; `rounds` keeps
  // the dividend nonnegative.
  const int64_t planes = rings_.planes(id);
  const Expr by = kernel::sub(resolved.point[0], plus(point[0], offset));
  const int64_t rounds = (std::abs(offset) + planes - 1) / planes + 1;
  const Expr n = plus(kernel::variable(context_.iteration), rounds * planes - age);
  return modulo(kernel::add(n, by), literal(planes));
}

}  // namespace stencil::schedule
