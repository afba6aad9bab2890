// Boxes of a `planes` kernel as comparisons of coordinates. The interior of a box and the parts
// around it become separate loops.
#pragma once

#include <functional>
#include <vector>

#include "compiler/schedule/common/tiling.h"
#include "compiler/schedule/planes/plan.h"

namespace stencil::schedule {

using Bounds = std::vector<Interval>;  // per dimension, outermost first

// Bounds of `region` within a box that contains it. Sides on which region and box agree have no
// bound.
Bounds bounds_of(const Interface& interface, const ir::Box& region, const ir::Box& box);

// The places where no access of the piece meets a boundary rule. Excludes places beyond the grid
// that are periodic images (in `images` dimensions); these exist if `computed` extends beyond the
// output.
Bounds bounds_without_rules(const Interface& interface, const ir::Piece& piece,
                            const std::vector<bool>& images, const analysis::Margin& computed);

// Condition: the coordinate is within both bounds.
kernel::Expr within(const Interval& bounds, const kernel::Expr& at);

// Box of places in a plane: per dimension, the first place and one past the last. The outermost
// dimension is unused.
struct PlaneBox {
  Point begin, end;
};

// The part of a box within the bounds; empty unless `has_plane`. `let` names a computed bound:
// dimension d, and whether it is the end or the beginning.
using LetEnd = std::function<kernel::Expr(int d, bool end, const kernel::Expr& value)>;
PlaneBox cut(const PlaneBox& box, const Bounds& bounds, const kernel::Expr& has_plane,
             const LetEnd& let);

// The rest of the box around `part`, as boxes: first those before and after the part in the outer
// dimensions, last those before and after it in x. Omits boxes that are empty by construction.
std::vector<PlaneBox> sides(const PlaneBox& box, const PlaneBox& part);

// Selects one of the values by the number of a side.
kernel::Expr of_side(const kernel::Expr& side, const std::vector<kernel::Expr>& values);

}  // namespace stencil::schedule
