// Ranks 4 to 8. The number of points is what has to be kept down: every point more per side counts
// rank times over.
#include "tests/property/many_dimensions.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/support/shape.h"

namespace stencil::property {

int largest_offset(int rank) {
  return rank == 4 ? 2 : 1;
}

int random_extent(Random& random, int rank, int needed) {
  const int usual = rank == 4 ? 9 : rank == 5 ? 5 : rank == 6 ? 4 : 3;
  if (random.chance(30)) return needed;
  return std::max(needed, random.between(1, usual));
}

std::string random_deep_schedule(Random& random, const std::string& family, int rank) {
  constexpr int kThreads = 256, kThreadsFromZ = 64, kElements = 48;
  Shape block, elements;
  for (size_t axis = 0; axis < static_cast<size_t>(rank); ++axis) {
    const int threads = random.pick<int>({1, 2, 2, 4, 8});
    const bool fits = threads * block.product() <= kThreads &&
                      (axis < 2 || threads * block.product(2) <= kThreadsFromZ);
    if (fits) block[axis] = threads;
    const int points = random.pick<int>({1, 1, 2, 3});
    if (points * elements.product() <= kElements) elements[axis] = points;
  }
  const std::string shapes =
      fmt::format("block={} elements={}", print(block, rank), print(elements, rank));
  if (family == "direct") return "direct " + shapes;
  return fmt::format("overlapped T={} {} regions={}", random.between(1, rank == 4 ? 3 : 2), shapes,
                     random.chance(70) ? "shrink" : "hull");
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
