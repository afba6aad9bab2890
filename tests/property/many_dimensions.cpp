// Grids of rank 4 to 8. Sides stay short, because the number of points is the product of 4 to 8
// extents.
#include "tests/property/many_dimensions.h"

#include <algorithm>

namespace stencil::property {

int largest_offset(int rank) {
  return rank == 4 ? 2 : 1;
}

int random_extent(Random& random, int rank, int needed) {
  const int usual = rank == 4 ? 9 : rank == 5 ? 5 : rank == 6 ? 4 : 3;
  if (random.chance(30)) return needed;
  return std::max(needed, random.between(1, usual));
}

bool too_large(const GeneratedProgram& program) {
  constexpr int64_t kMostPoints = 20'000;
  int64_t points = 1;
  for (size_t d = 0; d < static_cast<size_t>(program.rank); ++d) {
    points = std::min(points * program.integers[d].second, 2 * kMostPoints);
  }
  return program.rank > 3 && points > kMostPoints;
}

}  // namespace stencil::property
