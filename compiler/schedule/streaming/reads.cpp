// Queues are registers and need compile-time indices, so a boundary rule becomes a selection among
// the cells that an access may resolve to.
#include "compiler/schedule/streaming/reads.h"

#include "compiler/schedule/streaming/resolved_offsets.h"

namespace stencil::schedule {

namespace {

struct AccessRead {
  const StreamContext& context;
  const StreamQueues& queues;
  const StagePoint& at;
  const ir::Access& access;

  Expr cell(const std::vector<int>& offsets) const {
    const int id = at.stage.source.at({access.field, access.level, access.component});
    const Quantity& q = context.quantity(id);
    const int age = at.stage.lag - offsets.front() - q.lag;
    const Expr row = plus(context.row(), context.flat ? 0 : offsets[1]);
    return load(queues.at(id, literal(age), row, plus(context.column(), offsets.back())),
                arithmetic_type(q.type));
  }

  // The value after applying the rules of dimension d and all later ones to `offsets`.
  Expr selected(const std::vector<int>& offsets, size_t d, const Point& resolved) const {
    if (d == offsets.size()) return cell(offsets);
    const ir::Field& field = context.program.fields[access.field];
    if (ir::meets(field, access, d, ir::BoundaryKind::Mirror)) {
      return mirrored(field, offsets, d, resolved);
    }
    if (ir::meets(field, access, d, ir::BoundaryKind::Clamp)) {
      return clamped(field, offsets, d, resolved);
    }
    // Periodic: the cell is an image. Constant: the caller replaces the value.
    return selected(offsets, d + 1, resolved);
  }

  // Mirror: selects the offset of the point that the access resolves to.
  Expr mirrored(const ir::Field& field, std::vector<int> offsets, size_t d,
                const Point& resolved) const {
    Expr value = selected(offsets, d + 1, resolved);
    for (int offset : resolved_offsets(field, access, d)) {
      if (offset == access.offset(d)) continue;
      offsets[d] = offset;
      const Expr there = is_equal(resolved[d], plus(at.point[d], offset));
      value = select(there, selected(offsets, d + 1, resolved), value);
    }
    return value;
  }

  // Clamp: selects the offset nearest to the access's own that is still in the field, upwards if
  // its own is below the field, downwards if it is above.
  Expr clamped(const ir::Field& field, std::vector<int> offsets, size_t d,
               const Point& resolved) const {
    const analysis::Reach reach = analysis::reach_of(field, access, d);
    const auto read_at = [&](int64_t offset) {
      offsets[d] = static_cast<int>(offset);
      return selected(offsets, d + 1, resolved);
    };
    const int own = access.offset(d);
    Expr value = read_at(own);
    if (-reach.low < own) {
      const Expr high = context.interface.high(field.box, d);
      Expr down = read_at(-reach.low);
      for (int64_t k = 1 - reach.low; k < own; ++k) {
        down = select(kernel::less_equal(plus(at.point[d], k), high), read_at(k), down);
      }
      value = select(kernel::less_equal(plus(at.point[d], own), high), value, down);
    }
    if (own < reach.high) {
      const Expr low = context.interface.low(field.box, d);
      Expr up = read_at(reach.high);
      for (int64_t k = reach.high - 1; k > own; --k) {
        up = select(at_least(plus(at.point[d], k), low), read_at(k), up);
      }
      value = select(at_least(plus(at.point[d], own), low), value, up);
    }
    return value;
  }
};

// Reads from memory. Places may lie beyond the grid, where values are unused, so the nearest
// element is read.
Expr read_in_place(const StreamContext& context, const StagePoint& at, const ir::Access& access,
                   AccessResolver& resolver) {
  const ir::Box& box =
      access.at_points ? context.program.grid() : context.program.fields[access.field].box;
  return context.builder.load_in_place(access, resolver, [&](int d, const Expr& to) {
    const Expr low = context.interface.low(box, d), high = context.interface.high(box, d);
    return at.tests.unless_inside(larger(smaller(to, high), low), to);
  });
}

}  // namespace

Expr read(const StreamContext& context, const StreamQueues& queues, const StagePoint& at,
          const ir::Access& access, AccessResolver& resolver) {
  if (access.in_place) return read_in_place(context, at, access, resolver);
  const AccessRead reading{context, queues, at, access};
  const Expr plain = reading.cell(offsets_of(access.maps));
  if (access.escapes == 0 || at.stage.everywhere) return plain;
  // The resolved coordinate is compared with every place but one.
  const bool often = resolved_offset_count(context.program.fields[access.field], access) > 3;
  const ResolvedAccess resolved = resolver.resolve(access, often);
  const Expr value = reading.selected(offsets_of(access.maps), 0, resolved.point);
  return at.tests.unless_inside(apply_boundary(resolved, value), plain);
}

}  // namespace stencil::schedule
