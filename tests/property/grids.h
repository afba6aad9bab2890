// Grids that are derived from each other, with their bounds, for random programs on several grids.
//
// The bounds of derived grids are quotients of sizes, so where an access ends depends on the
// remainders of the sizes. Remainders recur, so a condition is known for all larger sizes once it
// is known for one period of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/property/random.h"

namespace stencil::property {

using Bounds = std::array<int64_t, 2>;  // first and last index

struct DerivedGrid {
  std::string name;
  int of = -1;              // into Grids::all; -1: the first grid
  std::vector<int> ratios;  // per dimension, to the grid that it is derived from
  std::vector<int> total;   // to the first grid
  bool cells = false;
  std::string declaration(const std::string& parent) const;
};

class Grids {
 public:
  // The first grid begins at `first` and has `sizes` points.
  Grids(std::vector<int> first, std::vector<int64_t> sizes);

  // Derives up to `count` grids, with ratios that leave every grid a few points.
  void derive(Random& random, int count);

  const std::vector<DerivedGrid>& all() const { return all_; }
  int rank() const { return static_cast<int>(first_.size()); }
  int first(size_t d) const { return first_[d]; }
  int64_t size(size_t d) const { return sizes_[d]; }
  // Nothing if a grid of cells does not cover its parent exactly.
  std::optional<Bounds> bounds(int grid, size_t d, int64_t size) const;
  Bounds bounds(int grid, size_t d) const { return *bounds(grid, d, sizes_[d]); }
  // The drawn size and larger ones, all that the cells admit until remainders recur.
  const std::vector<int64_t>& sizes(size_t d) const { return periods_[d]; }
  int64_t period(size_t d) const;
  // The scale and the divisor of an access at the points of grid `from` to a field on grid `to`.
  std::array<int, 2> map(int from, int to, size_t d) const;

 private:
  bool admits(size_t d, int64_t size) const;

  std::vector<int> first_;
  std::vector<int64_t> sizes_;
  std::vector<DerivedGrid> all_;
  std::vector<std::vector<int64_t>> periods_;
};

int64_t floor_of(int64_t value, int64_t divisor);

}  // namespace stencil::property
