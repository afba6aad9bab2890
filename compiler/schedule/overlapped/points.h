// Points of an `overlapped` tile: how a block's threads share them and how the kernel names their
// coordinates.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/common/builder.h"
#include "compiler/schedule/common/statements.h"
#include "compiler/schedule/overlapped/plan.h"

namespace stencil::schedule {

using analysis::Margin;
using kernel::Body;
using kernel::Expr;

class OverlappedPoints {
 public:
  // Defines the names of constants and variables.
  OverlappedPoints(const OverlappedTile& tile, KernelBuilder& builder, kernel::Module& module);

  // Cuts the grid into tiles and appends the definition of the block's tile origin to `body`.
  // Returns the number of blocks.
  Expr cut(kernel::Module& module, Body& body);

  // Grid coordinates of the current point.
  Point point() const;
  // Index of the current point in the computed hull, dimension d.
  Expr local(int d) const { return kernel::variable(locals_[d]); }
  // First coordinate in dimension d of a box that extends `margin` points below the core.
  Expr first(int d, int64_t margin) const { return plus(origin_[d], -margin); }
  // The part of the grid that the tile covers.
  GridBox covered() const;
  // Whether the current point lies in `box` (and in the grid).
  Expr exists(const ir::Box& box) const {
    return schedule::exists(interface_, point(), box, tile_.images);
  }
  // Whether the current point lies in the box `computed`, a part of the hull.
  Expr computes(const Margin& computed) const;

  // Loops over a thread's elements with their coordinates defined inside. With `images`, a place
  // beyond a periodic edge gets the coordinates of the point whose image it is.
  Body per_element(Body inner, bool images) const;
  // Loops in which the block's threads visit a box of these extents around the core.
  Body per_place(const Margin& margin, const std::vector<Expr>& extents, Body inner) const;
  // Extents of a thread's element loops and their indices, for dimensions with more than one
  // element.
  std::vector<Expr> element_extents() const;
  std::vector<Expr> element_index() const;

  const std::string& axis(int d) const { return axes_[d]; }

 private:
  Body coordinate_lets(int d, const Expr& at, const analysis::Reach& margin) const;
  int threads(int d) const { return along(tile_.schedule.block, rank_, d); }
  int elements(int d) const { return along(tile_.schedule.elements, rank_, d); }
  Expr thread(int d) const;

  const OverlappedTile& tile_;
  const Margin& hull_;  // hull of the computed boxes
  const Interface& interface_;
  KernelBuilder& builder_;
  const int rank_;
  std::vector<std::string> axes_;         // z, y, x
  std::vector<std::string> coordinates_;  // variables: grid coordinates of the point
  std::vector<std::string> places_;       // variables: coordinates before wrapping; "": no images
  std::vector<std::string> locals_;       // variables: index in the computed hull
  std::vector<std::string> loop_names_;   // of the element loops; "" for a single element
  std::vector<TileLength> core_lengths_;
  Point origin_;  // first output point of the tile
};

}  // namespace stencil::schedule
