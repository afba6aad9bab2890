// Regions that keep the distance from the edges which their accesses need, and the sizes that leave
// every region a point.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/property/generator_parts.h"

namespace stencil::property {

std::string Generator::full_box() const {
  std::vector<std::string> ranges;
  for (int d = 0; d < rank(); ++d)
    ranges.push_back(fmt::format("0..{}-1", size_name(static_cast<size_t>(d))));
  return fmt::format("{}", fmt::join(ranges, ", "));
}

std::string Generator::inner_box() const {
  std::vector<std::string> ranges;
  for (int d = 0; d < rank(); ++d)
    ranges.push_back(fmt::format("1..{}-2", size_name(static_cast<size_t>(d))));
  return fmt::format("{}", fmt::join(ranges, ", "));
}

// How far the target's domain keeps from the grid's edges.
Reach Generator::edge_of(const Field& target) const {
  Reach edge(rank());
  if (target.inner) {
    std::fill(edge.low.begin(), edge.low.end(), 1);
    std::fill(edge.high.begin(), edge.high.end(), 1);
  }
  return edge;
}

std::string Generator::range(size_t d, const Reach& reach) {
  needed_[d] = std::max(needed_[d], reach.low[d] + reach.high[d] + 1);
  const int skip =
      random_.chance(15) ? random_.between(1, 2) : 0;  // not all of what would be allowed
  if (skip) covers("sub-region");
  needed_[d] = std::max(needed_[d], reach.low[d] + reach.high[d] + skip + 1);
  return fmt::format("{}..{}-{}", reach.low[d] + skip, size_name(d), reach.high[d] + 1);
}

std::string Generator::region(const Reach& reach, bool index_names) {
  std::vector<std::string> ranges;
  for (int d = 0; d < rank(); ++d) {
    const std::string text = range(static_cast<size_t>(d), reach);
    const bool named = index_names && uses_index_.count(d);
    ranges.push_back(named ? fmt::format("i{} in {}", d, text) : text);
  }
  if (!uses_index_.empty()) covers("index names");
  uses_index_.clear();
  return fmt::format("{}", fmt::join(ranges, ", "));
}

// Sizes: at least what the regions need; often exactly that, or near the multiples of small
// tiles. Half of the rows are of a length that bulk copies can take.
void Generator::choose_sizes() {
  static const int kLargest[] = {0, 300, 70, 26};
  for (size_t d = 0; d < needed_.size(); ++d) {
    int size = needed_[d];
    if (random_.chance(30))
      size += random_.between(0, 3);
    else if (random_.chance(50))
      size = random_.pick<int>({8, 16, 32, 64}) + random_.between(-1, 1);
    else
      size += random_.between(0, kLargest[rank()]);
    size = std::max(size, needed_[d]);
    size = std::min(size, std::max(kLargest[rank()], needed_[d]));
    if (d + 1 == needed_.size() && random_.chance(50)) size = (size + 7) / 8 * 8;
    out_.sizes.emplace_back(size_name(d), size);
  }
}

}  // namespace stencil::property
