// Boundary rules as index arithmetic: computes which element an access reads if it leaves its
// field's box.
//
// Only sides where semantic analysis could not prove the access inside are handled
// (ir::Access::escapes), so an access that stays inside costs nothing. Dimensions are handled one
// by one from the outermost. If constants apply in several dimensions, the outermost one wins.
#include "compiler/schedule/common/resolved_access.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>

#include "compiler/ir/rewrite.h"

namespace stencil::schedule {

using kernel::Expr;

namespace {

Expr clamp_to(const Expr& at, const Expr& low, const Expr& high, bool below, bool above) {
  Expr out = at;
  if (below) out = kernel::operation(Op::Max, {out, low});
  if (above) out = kernel::operation(Op::Min, {out, high});
  return out;
}

// Binds a value that is used several times to a name, if lets are possible.
using Keep = std::function<Expr(const Expr&)>;

Expr modulo(const Expr& value, const Expr& period, const Keep& keep) {  // 0 <= result < period
  const Expr rest = keep(kernel::operation(Op::Mod, {value, period}));
  const Expr negative = kernel::less(rest, kernel::integer(0));
  return kernel::operation(Op::Select, {negative, kernel::add(rest, period), rest});
}

// Reflection about both edge points, without repeating them, any number of times.
Expr mirror_often(const Expr& at, const Expr& low, const Expr& extent, const Keep& keep) {
  const Expr one = kernel::integer(1);
  const Expr last = kernel::sub(extent, one);
  const Expr period =
      keep(kernel::operation(Op::Max, {kernel::mul(kernel::integer(2), last), one}));
  const Expr place = keep(modulo(kernel::sub(at, low), period, keep));
  const Expr back = kernel::sub(period, place);
  const Expr folded = kernel::operation(Op::Select, {kernel::less_equal(place, last), place, back});
  return kernel::add(low, folded);
}

// Whether dimension d of the field has the same range as the grid.
bool spans_grid(const Interface& interface, const ir::Field& field, int d) {
  const size_t i = static_cast<size_t>(d);
  const int of_grid = field.dimension(i);
  return field.domain == interface.program().domain_id() && of_grid >= 0 &&
         field.box.ranges[i] == interface.program().grid().ranges[of_grid];
}

// Whether a single reflection of a place `offset` away from the box is known to end inside the box.
bool one_reflection_does(const Interface& interface, const ir::Field& field, int d, int offset) {
  const ir::Range& range = field.box.ranges[d];
  const ir::Affine extent = range.high - range.low + 1;
  return spans_grid(interface, field, d) && extent.is_constant() &&
         extent.constant > std::abs(offset);
}

enum class Side { Low, High };

// Reflects places beyond one edge of the box.
Expr reflect(const Interface& interface, const ir::Box& box, int d, Side side, const Expr& at) {
  const Expr edge = side == Side::Low ? interface.low(box, d) : interface.high(box, d);
  const Expr beyond = side == Side::Low ? kernel::less(at, edge) : kernel::less(edge, at);
  const Expr back = kernel::add(edge, kernel::sub(edge, at));  // 2 * edge could overflow 32 bits
  return kernel::operation(Op::Select, {beyond, back, at});
}

// Mirror rules on both sides. The place is `offset` away from a point of the box.
Expr mirror(const Interface& interface, const ir::Field& field, int d, const Expr& at, int offset,
            const Keep& keep) {
  const ir::Box& box = field.box;
  if (one_reflection_does(interface, field, d, offset)) {
    return reflect(interface, box, d, offset < 0 ? Side::Low : Side::High, at);
  }
  return mirror_often(at, interface.low(box, d), interface.extent(box, d), keep);
}

Expr wrap_often(const Interface& interface, const ir::Box& box, int d, const Expr& at,
                const Keep& keep) {
  const Expr low = interface.low(box, d);
  return kernel::add(low, modulo(kernel::sub(at, low), interface.extent(box, d), keep));
}

Expr unnamed(const Expr& value) {
  return value;
}

Expr wrap(const Interface& interface, const ir::Box& box, int d, const Expr& at, int64_t below,
          int64_t above, const Keep& keep) {
  const ir::Range& range = box.ranges[d];
  const ir::Affine extent = range.high - range.low + 1;
  if (!extent.is_constant() || extent.constant < std::max(below, above)) {
    return wrap_often(interface, box, d, at, keep);
  }
  const Expr period = interface.extent(box, d);
  Expr out = at;
  if (above > 0) {
    const Expr beyond = kernel::less(interface.high(box, d), at);
    out = kernel::operation(Op::Select, {beyond, kernel::sub(at, period), at});
  }
  if (below > 0) {
    const Expr beyond = kernel::less(at, interface.low(box, d));
    out = kernel::operation(Op::Select, {beyond, kernel::add(at, period), out});
  }
  return out;
}

}  // namespace

Expr exists(const Interface& interface, const Point& point, const ir::Box& box,
            const std::vector<bool>& images) {
  ir::Box places = interface.program().grid();
  for (size_t d = 0; d < places.ranges.size(); ++d) {
    if (images[d]) continue;
    places.ranges[d] = {places.ranges[d].low - 1, places.ranges[d].high + 1};
  }
  return interface.inside(point, box, &places);
}

Expr wrap(const Interface& interface, const ir::Box& box, int d, const Expr& at, int64_t below,
          int64_t above) {
  return wrap(interface, box, d, at, below, above, unnamed);
}

namespace {

// Adds a constant that applies if `inside` is false. Merges conditions of equal constants.
void add_constant(ResolvedAccess& resolved, Expr inside, double value) {
  if (!resolved.constants.empty()) {
    ResolvedAccess::Constant& last = resolved.constants.back();
    if (std::bit_cast<uint64_t>(last.value) == std::bit_cast<uint64_t>(value)) {
      last.inside = kernel::operation(Op::And, {last.inside, std::move(inside)});
      return;
    }
  }
  resolved.constants.push_back({std::move(inside), value});
}

// A resolved access in one dimension. If `inside_low` or `inside_high` is false, the constant of
// that side applies.
struct ResolvedCoordinate {
  Expr at;
  Expr inside_low, inside_high;  // null: no constant on that side
};

// `at`: the coordinate before boundary rules.
ResolvedCoordinate resolve_in(const Interface& interface, const ir::Access& access, int d, Expr at,
                              const Keep& keep) {
  const size_t i = static_cast<size_t>(d);
  const ir::Field& field = interface.program().fields[access.field];
  const ir::Boundary& rules = field.boundary[i];
  const int offset = access.offset(i);
  bool below = access.escapes_below(i);
  bool above = access.escapes_above(i);
  if (rules.periodic()) {
    return {spans_grid(interface, field, d)
                ? wrap(interface, field.box, d, at, below ? -offset : 0, above ? offset : 0, keep)
                : wrap_often(interface, field.box, d, at, keep),
            {},
            {}};
  }
  const auto is = [](const ir::BoundaryRule& rule, ir::BoundaryKind kind) {
    return rule.kind == kind;
  };
  if (is(rules.low, ir::BoundaryKind::Mirror) && is(rules.high, ir::BoundaryKind::Mirror)) {
    return {mirror(interface, field, d, at, offset, keep), {}, {}};
  }
  // If only one side mirrors, the other side's rule applies to reflections that end beyond it.
  const bool once = one_reflection_does(interface, field, d, offset);
  if (below && is(rules.low, ir::BoundaryKind::Mirror)) {
    at = reflect(interface, field.box, d, Side::Low, at);
    below = false;
    above |= !once;
  } else if (above && is(rules.high, ir::BoundaryKind::Mirror)) {
    at = reflect(interface, field.box, d, Side::High, at);
    above = false;
    below |= !once;
  }
  below &= !is(rules.low, ir::BoundaryKind::None);  // proved or checked to stay inside
  above &= !is(rules.high, ir::BoundaryKind::None);
  const Expr low = interface.low(field.box, d);
  const Expr high = interface.high(field.box, d);
  ResolvedCoordinate coordinate;
  if (below && is(rules.low, ir::BoundaryKind::Constant)) {
    coordinate.inside_low = kernel::operation(Op::Ge, {at, low});
  }
  if (above && is(rules.high, ir::BoundaryKind::Constant)) {
    coordinate.inside_high = kernel::less_equal(at, high);
  }
  // Indices are computed even for steps that a tile skips, and their values are never used.
  // Clamping keeps these indices valid.
  const bool always = field.dimension(i) == ir::kTime;
  coordinate.at = clamp_to(at, low, high, below || always, above || always);
  return coordinate;
}

// floor(value / divisor); quotients of integers are rounded towards zero.
Expr floor_quotient(const Expr& value, int divisor) {
  if ((divisor & (divisor - 1)) == 0) {
    const int bits = std::countr_zero(static_cast<unsigned>(divisor));
    return kernel::operation(Op::Shr, {value, kernel::integer(bits)});
  }
  const Expr by = kernel::integer(divisor);
  const Expr below = kernel::sub(value, kernel::integer(divisor - 1));
  const Expr negative = kernel::less(value, kernel::integer(0));
  return kernel::operation(Op::Div, {kernel::operation(Op::Select, {negative, below, value}), by});
}

// The coordinate that the map gives for `from`, before boundary rules.
Expr named_place(const ir::Access& access, size_t d, const Expr& from) {
  const ir::IndexMap& map = access.maps[d];
  const Expr scaled = map.scale == 1 ? from : kernel::mul(from, kernel::integer(map.scale));
  const Expr moved = map.offset < 0
                         ? kernel::sub(scaled, kernel::integer(-static_cast<int64_t>(map.offset)))
                         : kernel::add(scaled, kernel::integer(map.offset));
  return map.divisor == 1 ? moved : floor_quotient(moved, map.divisor);
}

bool is_moved(const ir::Access& access, size_t d) {
  return access.escapes_below(d) || access.escapes_above(d);
}

bool is_time(const Interface& interface, const ir::Access& access, size_t d) {
  return interface.program().fields[access.field].dimension(d) == ir::kTime;
}

bool is_points(const Interface& interface, const ir::Access& access, size_t d) {
  return interface.program().fields[access.field].dimension(d) == ir::kPoints;
}

// Name of an access's coordinate in dimension d: "x", or "time".
std::string name_of(const Interface& interface, const ir::Access& access, size_t d) {
  const int dimension = interface.program().fields[access.field].dimension(d);
  return dimension == ir::kTime ? "time" : axis_names(interface.rank())[dimension];
}

// Appends dimension d of a resolved access.
void append_coordinate(const Interface& interface, const ir::Access& access, size_t d,
                       const ResolvedCoordinate& coordinate, ResolvedAccess& resolved) {
  const ir::Field& field = interface.program().fields[access.field];
  const size_t component = static_cast<size_t>(access.component);
  if (coordinate.inside_low) {
    add_constant(resolved, coordinate.inside_low, field.boundary[d].low.values[component]);
  }
  if (coordinate.inside_high) {
    add_constant(resolved, coordinate.inside_high, field.boundary[d].high.values[component]);
  }
  resolved.point.push_back(coordinate.at);
}

}  // namespace

ResolvedAccess resolve(const Interface& interface, const ir::Access& access, const Point& from) {
  ResolvedAccess resolved;
  for (size_t d = 0; d < access.maps.size(); ++d) {
    ResolvedCoordinate coordinate = {named_place(access, d, from[d]), {}, {}};
    if (is_moved(access, d)) {
      coordinate = resolve_in(interface, access, static_cast<int>(d), coordinate.at, unnamed);
    }
    append_coordinate(interface, access, d, coordinate, resolved);
  }
  return resolved;
}

ResolvedAccess resolve_place(const Interface& interface, ir::FieldId id, int component,
                             const Point& place, const analysis::Margin& beyond) {
  const ir::Field& field = interface.program().fields[id];
  ResolvedAccess resolved;
  for (int d = 0; d < field.box.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const ir::Boundary& rules = field.boundary[i];
    const auto [below, above] = beyond[i];
    const int64_t extent = (field.box.ranges[i].high - field.box.ranges[i].low).constant + 1;
    const bool low_mirrors = rules.low.kind == ir::BoundaryKind::Mirror;
    const bool high_mirrors = rules.high.kind == ir::BoundaryKind::Mirror;
    const Expr low = interface.low(field.box, d), high = interface.high(field.box, d);
    Expr at = place[i];
    if (rules.periodic()) {
      resolved.point.push_back(wrap(interface, field.box, d, at, below, above, unnamed));
      continue;
    }
    if (low_mirrors && high_mirrors && std::max(below, above) >= extent) {
      resolved.point.push_back(mirror_often(at, low, interface.extent(field.box, d), unnamed));
      continue;
    }
    if (low_mirrors && below > 0) at = reflect(interface, field.box, d, Side::Low, at);
    if (high_mirrors && above > 0) at = reflect(interface, field.box, d, Side::High, at);
    // A reflection may end beyond the other edge.
    const bool is_below = !low_mirrors && (below > 0 || (high_mirrors && above >= extent));
    const bool is_above = !high_mirrors && (above > 0 || (low_mirrors && below >= extent));
    const auto add = [&](const ir::BoundaryRule& rule, Expr inside) {
      if (rule.kind == ir::BoundaryKind::Clamp) return;
      const bool given = rule.kind == ir::BoundaryKind::Constant;
      add_constant(resolved, std::move(inside),
                   given ? rule.values[static_cast<size_t>(component)] : 0);
    };
    if (is_below) add(rules.low, kernel::operation(Op::Ge, {at, low}));
    if (is_above) add(rules.high, kernel::less_equal(at, high));
    resolved.point.push_back(clamp_to(at, low, high, is_below, is_above));
  }
  return resolved;
}

AccessResolver::AccessResolver(const Interface& interface, const ir::Graph& graph,
                               const std::vector<bool>& needed, const Point& from, const Expr& time,
                               Names& names, kernel::Body& body)
    : interface_(interface), from_(from), time_(time), names_(names), body_(body) {
  for (ir::NodeId id = 0; id < graph.size(); ++id) {
    const auto* access = std::get_if<ir::Access>(&graph[id].kind);
    if (!access || access->escapes == 0 || !needed[id]) continue;
    for (size_t d = 0; d < access->maps.size(); ++d) {
      if (is_moved(*access, d)) ++coordinates_[key_of(*access, d)].uses;
    }
  }
}

AccessResolver::Key AccessResolver::key_of(const ir::Access& access, size_t d) const {
  const ir::Field& field = interface_.program().fields[access.field];
  const ir::Range& range = field.box.ranges[d];
  Key key = {static_cast<int64_t>(field.dimension(d)),
             access.offset(d),
             access.maps[d].scale,
             access.maps[d].divisor,
             access.escapes_below(d),
             access.escapes_above(d),
             static_cast<int64_t>(field.boundary[d].low.kind),
             static_cast<int64_t>(field.boundary[d].high.kind)};
  for (const ir::Affine* bound : {&range.low, &range.high}) {
    key.push_back(bound->constant);
    key.push_back(static_cast<int64_t>(bound->terms.size()));
    for (const auto& [param, coefficient] : bound->terms) {
      key.insert(key.end(), {param, coefficient});
    }
  }
  return key;
}

const Expr& AccessResolver::from_in(const ir::Access& access, size_t d) const {
  const ir::Field& field = interface_.program().fields[access.field];
  const int dimension = field.dimension(d);
  return dimension == ir::kTime ? time_ : from_[dimension];
}

ResolvedAccess AccessResolver::resolve(const ir::Access& access, bool again) {
  ResolvedAccess resolved;
  for (size_t d = 0; d < access.maps.size(); ++d) {
    if (is_points(interface_, access, d)) continue;  // the caller loops over all entries
    if (!is_moved(access, d) && !is_time(interface_, access, d)) {
      resolved.point.push_back(named_place(access, d, from_in(access, d)));
      continue;
    }
    if (access.per_step) {  // computed once per step, outside the code for points
      const ResolvedCoordinate coordinate = resolve_in(interface_, access, static_cast<int>(d),
                                                       named_place(access, d, time_), unnamed);
      append_coordinate(interface_, access, d, coordinate, resolved);
      continue;
    }
    const std::string name = "at_" + name_of(interface_, access, d);
    const Keep keep = [&](const Expr& value) {
      if (!std::holds_alternative<kernel::Operation>(value->kind)) return value;
      const std::string unique = names_.unique(name);
      body_.push_back({kernel::Let{unique, value}});
      return kernel::variable(unique, value->type);
    };
    Coordinate& known = coordinates_[key_of(access, d)];
    if (!known.at) {
      const ResolvedCoordinate coordinate =
          resolve_in(interface_, access, static_cast<int>(d),
                     named_place(access, d, from_in(access, d)), keep);
      known.at = again || known.uses > 1 ? keep(coordinate.at) : coordinate.at;
      known.inside_low = coordinate.inside_low;
      known.inside_high = coordinate.inside_high;
    }
    append_coordinate(interface_, access, d, {known.at, known.inside_low, known.inside_high},
                      resolved);
  }
  return resolved;
}

Expr apply_boundary(const ResolvedAccess& resolved, Expr loaded) {
  const Scalar type = loaded->type;
  // The first constant wins, so it is the outermost select.
  for (size_t c = resolved.constants.size(); c-- > 0;) {
    const double value = resolved.constants[c].value;
    const Expr outside = is_float(type) ? kernel::real(value, type)
                                        : kernel::integer(static_cast<int64_t>(value), type);
    loaded =
        kernel::operation(Op::Select, {resolved.constants[c].inside, std::move(loaded), outside});
  }
  return loaded;
}

}  // namespace stencil::schedule
