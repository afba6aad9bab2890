// The points of a tile of the `overlapped` family: how a block's threads share them, and what a
// point is called in the kernel.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/overlapped/plan.h"
#include "compiler/schedule/parts/builder.h"
#include "compiler/schedule/parts/statements.h"

namespace stencil::schedule {

using analysis::Margin;
using kernel::Body;
using kernel::Expr;

class OverlappedPoints {
 public:
  // Names the constants and variables.
  OverlappedPoints(const OverlappedTile& tile, KernelBuilder& builder, kernel::Module& module);

  // Cuts the grid into tiles; appends to `body` what defines the origin of a block's. Returns the
  // number of blocks.
  Expr cut(Body& body);

  // The point: its grid coordinates.
  Point point() const;
  // Its place in dimension d of the hull of what is computed.
  Expr local(int d) const { return kernel::variable(locals_[d]); }
  // The coordinate where a box around the core, with so many points before it, begins.
  Expr first(int d, int64_t margin) const { return plus(origin_[d], -margin); }
  // Of the grid, what the tile covers.
  GridBox covered() const;
  // The point lies in `box`, if it exists at all.
  Expr exists(const ir::Box& box) const {
    return schedule::exists(interface_, point(), box, tile_.images);
  }
  // The point lies in the box that is computed (part of the hull that the threads cover).
  Expr computes(const Margin& computed) const;

  // The loops over a thread's elements, with the coordinates defined inside: those of the point at
  // this place of the tile, or, without `images`, those of the place.
  Body per_element(Body inner, bool images) const;
  // The threads' loops over a box of these extents around the core.
  Body per_place(const Margin& margin, const std::vector<Expr>& extents, Body inner) const;
  // Per dimension with several: how many points a thread has, and which one it is at.
  std::vector<Expr> element_extents() const;
  std::vector<Expr> element_index() const;

  const std::string& axis(int d) const { return axes_[d]; }

 private:
  Body coordinate_lets(int d, const Expr& at, const analysis::Reach& margin) const;
  int threads(int d) const { return along(tile_.schedule.block, rank_, d); }
  int elements(int d) const { return along(tile_.schedule.elements, rank_, d); }
  Expr thread(int d) const;

  const OverlappedTile& tile_;
  const Margin& hull_;  // of what is computed
  const Interface& interface_;
  KernelBuilder& builder_;
  const int rank_;
  std::vector<std::string> axes_;         // z, y, x
  std::vector<std::string> coordinates_;  // variables: grid coordinates of the point
  std::vector<std::string> places_;       // variables: the place that a point's image has; or ""
  std::vector<std::string> locals_;       // variables: its place in the computed hull
  std::vector<std::string> loop_names_;   // of the loops over elements; "" where there is one
  std::vector<TileLength> core_lengths_;
  Point origin_;  // first output point of the tile
};

}  // namespace stencil::schedule
