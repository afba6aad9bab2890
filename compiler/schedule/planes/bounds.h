// Boxes of a `planes` kernel as comparisons of coordinates, such that what is inside one and what
// lies around it become loops of their own.
#pragma once

#include <functional>
#include <vector>

#include "compiler/schedule/parts/tiling.h"
#include "compiler/schedule/planes/plan.h"

namespace stencil::schedule {

using Bounds = std::vector<Interval>;  // per dimension, outermost first

// Bounds of a region in a box that contains it, as far as they tell the two apart.
Bounds bounds_of(const Interface& interface, const ir::Box& region, const ir::Box& box);

// The places from which no access of the piece meets a boundary rule. Those beyond the grid, which
// are images (of `images` dimensions), do not count; there are some where more is computed than a
// tile writes.
Bounds bounds_without_rules(const Interface& interface, const ir::Piece& piece,
                            const std::vector<bool>& images, const analysis::Margin& computed);

// Both bounds are met by a coordinate.
kernel::Expr within(const Interval& bounds, const kernel::Expr& at);

// Places of a plane, per dimension: the first one and the one after the last. The outermost
// dimension has none.
struct PlaneBox {
  Point begin, end;
};

// The part of a box that lies within the bounds; nothing of it unless `has_plane`. `let` names what
// is neither an end of the box nor a literal: of dimension d, the end or the beginning.
using LetEnd = std::function<kernel::Expr(int d, bool end, const kernel::Expr& value)>;
PlaneBox cut(const PlaneBox& box, const Bounds& bounds, const kernel::Expr& has_plane,
             const LetEnd& let);

// The rest of the box around such a part, as boxes: the rows before and after it, and so on to the
// points before and after it in x. Those that the bounds leave empty are left out.
std::vector<PlaneBox> sides(const PlaneBox& box, const PlaneBox& part);

// One of the values, by the number of the side that a variable stands for.
kernel::Expr of_side(const kernel::Expr& side, const std::vector<kernel::Expr>& values);

}  // namespace stencil::schedule
