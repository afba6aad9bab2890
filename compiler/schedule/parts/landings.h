// Boundary rules as index arithmetic: where accesses land, and which places of a tile are images.
#pragma once

#include <map>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/schedule/parts/interface.h"

namespace stencil::schedule {

// Where an access lands: the coordinates it reads after the field's boundary rules, which lie in
// the field, and the constants that count instead: the first whose `inside` does not hold.
struct Landing {
  struct Constant {
    kernel::Expr inside;
    double value;
  };
  Point point;
  std::vector<Constant> constants;
};
Landing land(const Interface& interface, const ir::Access& access, const Point& from);

// The same for all accesses of a piece evaluated at one point. What a rule makes of a coordinate
// depends on dimension, offset, rule and domain: if several accesses land there, or if it is used
// again and again, it becomes a let of `body` when it is first asked for.
class Landings {
 public:
  // `time`: of the step, for series.
  Landings(const Interface& interface, const ir::Graph& graph, const std::vector<bool>& needed,
           const Point& from, const kernel::Expr& time, Names& names, kernel::Body& body);

  // `again`: the landing's coordinates are used several times for this access alone.
  Landing land(const ir::Access& access, bool again = false);

  // Where the piece is evaluated, and the body that its value is computed in.
  const Point& from() const { return from_; }
  Names& names() { return names_; }
  kernel::Body& body() { return body_; }

 private:
  struct Coordinate {
    kernel::Expr at;                       // null: not asked for yet
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
// The value of an access: `loaded`, which was read at the landing, or one of its constants.
kernel::Expr apply_boundary(const Landing& landing, kernel::Expr loaded);

// The point of a place in a tile lies in `box`. In dimensions with images it is a point of the
// grid; in others the place itself, which may lie beyond the grid.
kernel::Expr exists(const Interface& interface, const Point& point, const ir::Box& box,
                    const std::vector<bool>& images);

// The coordinate, in dimension d, of the point that a place is an image of. The place lies at most
// `below` points below the box and `above` points above it.
kernel::Expr wrap(const Interface& interface, const ir::Box& box, int d, const kernel::Expr& at,
                  int64_t below, int64_t above);

}  // namespace stencil::schedule
