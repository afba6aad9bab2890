// Boundary rules as index arithmetic: where an access that may leave its field's box reads instead.
//
// Only the sides that semantic analysis could not prove are treated (ir::Access::escapes), so an
// access that stays inside costs nothing.
#include <algorithm>
#include <cstdlib>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/blocks.h"

namespace stencil::schedule {

using kernel::Expr;

namespace {

Expr clamp_to(const Expr& at, const Expr& low, const Expr& high, bool below, bool above) {
  Expr out = at;
  if (below) out = kernel::operation(Op::Max, {out, low});
  if (above) out = kernel::operation(Op::Min, {out, high});
  return out;
}

Expr modulo(const Expr& value, const Expr& period) {  // 0 <= result < period
  const Expr rest = kernel::operation(Op::Mod, {value, period});
  const Expr negative = kernel::less(rest, kernel::integer(0));
  return kernel::operation(Op::Select, {negative, kernel::add(rest, period), rest});
}

// Reflection about both edge points, without repeating them, as often as it takes.
Expr mirror_often(const Expr& at, const Expr& low, const Expr& extent) {
  const Expr one = kernel::integer(1);
  const Expr last = kernel::sub(extent, one);
  const Expr period = kernel::operation(Op::Max, {kernel::mul(kernel::integer(2), last), one});
  const Expr place = modulo(kernel::sub(at, low), period);
  const Expr back = kernel::sub(period, place);
  const Expr folded = kernel::operation(Op::Select, {kernel::less_equal(place, last), place, back});
  return kernel::add(low, folded);
}

// Whether every point of the grid is one of the box in dimension d, and the other way round.
bool spans_grid(const Interface& interface, const ir::Box& box, int d) {
  const size_t i = static_cast<size_t>(d);
  return box.ranges[i] == interface.program().grid.ranges[i];
}

// Reflection of a place `offset` away from one in the box; once where that is known to do.
Expr mirror(const Interface& interface, const ir::Box& box, int d, const Expr& at, int offset) {
  const ir::Range& range = box.ranges[static_cast<size_t>(d)];
  const ir::Affine extent = range.high - range.low + 1;
  const Expr low = interface.low(box, d);
  if (!spans_grid(interface, box, d) || !extent.is_constant() ||
      extent.constant <= std::abs(offset)) {
    return mirror_often(at, low, interface.extent(box, d));
  }
  const Expr edge = offset < 0 ? low : interface.high(box, d);
  const Expr beyond = offset < 0 ? kernel::less(at, edge) : kernel::less(edge, at);
  const Expr back = kernel::add(edge, kernel::sub(edge, at));  // 2 * edge may pass 32 bits
  return kernel::operation(Op::Select, {beyond, back, at});
}

Expr wrap_often(const Interface& interface, const ir::Box& box, int d, const Expr& at) {
  const Expr low = interface.low(box, d);
  return kernel::add(low, modulo(kernel::sub(at, low), interface.extent(box, d)));
}

}  // namespace

std::vector<FarRead> far_reads(const ir::Program& program) {
  std::vector<FarRead> out;
  for (size_t f = 0; f < program.functions.size(); ++f) {
    for (const ir::Piece& piece : program.functions[f].pieces) {
      const auto needed = ir::reachable(piece.graph, piece.results);
      for (ir::NodeId id = 0; id < piece.graph.size(); ++id) {
        const auto* access = std::get_if<ir::Access>(&piece.graph[id].kind);
        if (!access || !needed[static_cast<size_t>(id)]) continue;
        if (analysis::lands_far(program, *access)) {
          out.push_back({f, access->field, piece.graph[id].span});
        }
      }
    }
  }
  return out;
}

std::vector<bool> image_dimensions(const ir::Program& program, bool written_only) {
  std::vector<bool> out(static_cast<size_t>(program.grid.rank()), false);
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) {
      for (const ir::Node& node : piece.graph.nodes()) {
        const auto* access = std::get_if<ir::Access>(&node.kind);
        if (!access || (written_only && !ir::is_written(program, access->field))) continue;
        const ir::Field& field = program.fields[static_cast<size_t>(access->field)];
        if (field.boundary != ir::BoundaryKind::Periodic) continue;
        if (analysis::lands_far(program, *access)) continue;
        for (size_t d = 0; d < out.size(); ++d) {
          out[d] = out[d] || (access->escapes >> (2 * d) & 3) != 0;
        }
      }
    }
  }
  return out;
}

Expr wrap(const Interface& interface, const ir::Box& box, int d, const Expr& at, int64_t below,
          int64_t above) {
  const ir::Range& range = box.ranges[static_cast<size_t>(d)];
  const ir::Affine extent = range.high - range.low + 1;
  if (!extent.is_constant() || extent.constant < std::max(below, above)) {
    return wrap_often(interface, box, d, at);
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

Landing land(const Interface& interface, const ir::Access& access, const Point& from) {
  const ir::Field& field = interface.program().fields[static_cast<size_t>(access.field)];
  Landing landing;
  std::vector<Expr> inside;
  for (int d = 0; d < interface.rank(); ++d) {
    const size_t i = static_cast<size_t>(d);
    const int offset = access.offsets[i];
    Expr at = offset < 0 ? kernel::sub(from[i], kernel::integer(-static_cast<int64_t>(offset)))
                         : kernel::add(from[i], kernel::integer(offset));
    const bool below = access.escapes >> (2 * d) & 1;
    const bool above = access.escapes >> (2 * d + 1) & 1;
    if (below || above) {
      const Expr low = interface.low(field.box, d);
      const Expr high = interface.high(field.box, d);
      switch (field.boundary) {
        case ir::BoundaryKind::None:
          break;  // ruled out by ir::verify
        case ir::BoundaryKind::Constant:
          if (below) inside.push_back(kernel::operation(Op::Ge, {at, low}));
          if (above) inside.push_back(kernel::less_equal(at, high));
          at = clamp_to(at, low, high, below, above);
          break;
        case ir::BoundaryKind::Clamp:
          at = clamp_to(at, low, high, below, above);
          break;
        case ir::BoundaryKind::Mirror:
          at = mirror(interface, field.box, d, at, offset);
          break;
        case ir::BoundaryKind::Periodic:
          at = spans_grid(interface, field.box, d)
                   ? wrap(interface, field.box, d, at, below ? -offset : 0, above ? offset : 0)
                   : wrap_often(interface, field.box, d, at);
          break;
      }
    }
    landing.point.push_back(at);
  }
  if (!inside.empty()) landing.inside = kernel::all_of(std::move(inside));
  return landing;
}

Expr apply_boundary(const Interface& interface, const ir::Access& access, const Landing& landing,
                    Expr loaded) {
  if (!landing.inside) return loaded;
  const ir::Field& field = interface.program().fields[static_cast<size_t>(access.field)];
  const double value = field.boundary_values[static_cast<size_t>(access.component)];
  const Scalar type = loaded->type;
  const Expr outside = is_integer(type) ? kernel::integer(static_cast<int64_t>(value), type)
                                        : kernel::real(value, type);
  return kernel::operation(Op::Select, {landing.inside, std::move(loaded), outside});
}

}  // namespace stencil::schedule
