// Boxes of a `planes` kernel as comparisons of coordinates, such that what is inside one and what
// lies around it become loops of their own.
#pragma once

#include <vector>

#include "compiler/schedule/blocks.h"
#include "compiler/schedule/planes.h"

namespace stencil::schedule {

// Coordinates between two bounds, both included. Null: there is no bound on this side.
struct Interval {
  kernel::Expr low, high;
};
using Bounds = std::vector<Interval>;  // per dimension, outermost first

// Bounds of a region in a box that contains it, as far as they tell the two apart.
Bounds bounds_of(const Interface& interface, const ir::Box& region, const ir::Box& box);

// The places from which no access of the piece meets a boundary rule. Those beyond the grid, which
// are images (of `images` dimensions), do not count.
Bounds bounds_without_rules(const Interface& interface, const PlanesStage& stage,
                            const ir::Piece& piece, const std::vector<bool>& images);

// The point lies within the bounds.
kernel::Expr within(const Bounds& bounds, const Point& at);

// What lies around them, as conditions that exclude each other, without those that never hold: the
// rows that miss the box, and of the others what is before it and what is after it.
std::vector<kernel::Expr> around(const Bounds& bounds, const Point& at);

}  // namespace stencil::schedule
