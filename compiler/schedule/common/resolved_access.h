// Boundary rules as index arithmetic: resolved accesses, and periodic images in tiles.
#pragma once

#include <map>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/schedule/common/interface.h"

namespace stencil::schedule {

// An access after its field's boundary rules: coordinates inside the field, and boundary constants.
// The first constant whose `inside` is false replaces the loaded value.
struct ResolvedAccess {
  struct Constant {
    kernel::Expr inside;
    double value;
  };
  Point point;
  std::vector<Constant> constants;
};
ResolvedAccess resolve(const Interface& interface, const ir::Access& access, const Point& from);

// The value of a component of a field on the grid, of known extents, at a place. The place lies at
// most `beyond` the field's box, per dimension. It is 0 beyond an edge without a rule.
ResolvedAccess resolve_place(const Interface& interface, ir::FieldId field, int component,
                             const Point& place, const analysis::Margin& beyond);

// Resolves all accesses of a piece evaluated at one point. A resolved coordinate depends on
// dimension, offset, rule and domain. If several accesses share it, or one uses it several times,
// it becomes a let in `body` at first use.
class AccessResolver {
 public:
  // `time`: of the current step, for series.
  AccessResolver(const Interface& interface, const ir::Graph& graph,
                 const std::vector<bool>& needed, const Point& from, const kernel::Expr& time,
                 Names& names, kernel::Body& body);

  // `again`: this access alone uses the resolved coordinates several times.
  ResolvedAccess resolve(const ir::Access& access, bool again = false);

  // The point at which the piece is evaluated, and the body that computes its value.
  const Point& from() const { return from_; }
  Names& names() { return names_; }
  kernel::Body& body() { return body_; }

 private:
  struct Coordinate {
    kernel::Expr at;                       // null: not resolved yet
    kernel::Expr inside_low, inside_high;  // null: no constant on that side
    int uses = 0;
  };
  // Dimension, offset, escapes, rules, and the range of the domain.
  using Key = std::vector<int64_t>;
  Key key_of(const ir::Access& access, size_t d) const;
  const kernel::Expr& from_in(const ir::Access& access, size_t d) const;

  const Interface& interface_;
  const Point& from_;
  const kernel::Expr& time_;
  Names& names_;
  kernel::Body& body_;
  std::map<Key, Coordinate> coordinates_;
};
// The value of an access: `loaded`, read at the resolved coordinates, or one of its constants.
kernel::Expr apply_boundary(const ResolvedAccess& resolved, kernel::Expr loaded);

// Condition: `point`, the grid point for a place of a tile, lies in `box`. In dimensions with
// images, `point` is already wrapped into the grid. In other dimensions it may lie beyond the grid.
kernel::Expr exists(const Interface& interface, const Point& point, const ir::Box& box,
                    const std::vector<bool>& images);

// The coordinate `at` of a place in dimension d, wrapped periodically into the box. The place lies
// at most `below` points below the box or `above` points above it.
kernel::Expr wrap(const Interface& interface, const ir::Box& box, int d, const kernel::Expr& at,
                  int64_t below, int64_t above);

}  // namespace stencil::schedule
