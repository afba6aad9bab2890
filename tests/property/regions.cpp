// Regions keep the distance from the edges that their accesses need. Sizes leave every region at
// least one point.
#include <fmt/format.h>

#include <algorithm>

#include "tests/property/generator_parts.h"
#include "tests/property/many_dimensions.h"

namespace stencil::property {

// The coordinate `low` points above the first one.
std::string Generator::above_first(size_t d, int low) const {
  return fmt::format("{}", first_[d] + low);
}

// The coordinate `high` points below the last one.
std::string Generator::below_last(size_t d, int high) const {
  return fmt::format("{}{:+}", size_name(d), first_[d] - high - 1);
}

std::string Generator::box_of(const Margin& margin, const std::string& strides) const {
  std::vector<std::string> ranges;
  for (size_t d = 0; d < rank(); ++d) {
    ranges.push_back(fmt::format("{}..{}{}", above_first(d, margin.low[d]),
                                 below_last(d, margin.high[d]), strides));
  }
  return list(ranges);
}

// From `low` points above the first to `high` points below the last.
std::string Generator::range(size_t d, int low, int high) {
  ranges_.push_back({d, low, high});
  return fmt::format("{}..{}", above_first(d, low), below_last(d, high));
}

// True if a function writes a field with a fixed edge.
bool Generator::has_fixed_edges() const {
  const std::vector<const Field*> written = targets();
  return std::any_of(written.begin(), written.end(), [](const Field* field) {
    return field->boundary.text.find("fixed ") != std::string::npos;
  });
}

std::string Generator::random_range(size_t d, const Margin& reach) {
  int low = reach.low[d], high = reach.high[d];
  needed_[d] = std::max(needed_[d], low + high + 1);
  if (!tiny_ && random_.chance(choices_.sub_region)) {
    low += random_.between(0, 2);
    high += random_.between(0, 2);
    covers("sub-region");
    needed_[d] = std::max(needed_[d], low + high + 1);
  }
  // The points of fixed edges that regions leave out must be boxes, whatever the sizes (S049).
  const bool boxes = has_fixed_edges();
  if (!tiny_ && !plain_ && !boxes && random_.chance(choices_.half_region)) {
    return half(d, low, high);
  }
  if (random_.chance(choices_.maybe_empty)) {
    low += random_.between(0, 3);
    high += random_.between(1, 3);
    if (boxes) needed_[d] = std::max(needed_[d], low + high + 1);
  }
  return range(d, low, high);
}

// The points below or above the middle.
std::string Generator::half(size_t d, int low, int high) {
  covers("half of a dimension");
  const std::string middle = fmt::format("{}/2{:+}", size_name(d), first_[d]);
  const bool below = random_.chance(50);
  needed_[d] = std::max(needed_[d], 2 * (below ? high : low) + 2);
  return below ? fmt::format("{}..{}-1", above_first(d, low), middle)
               : fmt::format("{}..{}", middle, below_last(d, high));
}

// A box with the index names that the site uses. `fixed` gives the ranges of some dimensions.
std::string Generator::region(const Site& site, const std::vector<std::string>& fixed) {
  std::vector<std::string> ranges;
  for (size_t d = 0; d < rank(); ++d) {
    const std::string text =
        fixed.empty() || fixed[d].empty() ? random_range(d, site.reach) : fixed[d];
    const bool named = site.names.count(static_cast<int>(d)) > 0;
    ranges.push_back((named ? fmt::format("i{} in {}", d, text) : text) + stride(text));
  }
  if (!site.names.empty()) covers("index names");
  return list(ranges);
}

// A stride for a range of several points, or "".
std::string Generator::stride(const std::string& range) {
  const bool possible = !exact_ && !plain_ && range.find("..") != std::string::npos;
  if (!possible || !random_.chance(choices_.stride)) return "";
  covers("stride");
  return fmt::format(" by {}", random_.between(1, 4));
}

// The name of a subgrid made for this region. Unlike a region, it must have a point.
std::string Generator::named_region(const Margin& reach) {
  covers("named region");
  const std::string name = fmt::format("R{}", sub_grids_.size());
  sub_grids_.push_back({name, "G", reach});
  if (!exact_ && !plain_ && random_.chance(choices_.sub_grid_stride)) {
    sub_grids_.back().strides = fmt::format(" by {}", random_.between(2, 3));
    covers("stride of a sub-grid");
  }
  for (size_t d = 0; d < rank(); ++d) {
    needed_[d] = std::max(needed_[d], reach.low[d] + reach.high[d] + 1);
  }
  return name;
}

// Sizes are at least what the regions need: often exactly that, or
// close to multiples of small tiles.
void Generator::choose_sizes() {
  static const int kLargest[] = {0, 300, 70, 26};
  bool tiny = true, multiple = true;
  for (size_t d = 0; d < rank(); ++d) {
    int size = needed_[d];
    if (rank() > 3)
      size = random_extent(random_, out_.rank, size);
    else if (tiny_)
      size = random_.between(1, 5);
    else if (random_.chance(30))
      size += random_.between(0, 3);
    else if (random_.chance(50))
      size = random_.pick<int>({8, 16, 32, 64}) + random_.between(-1, 1);
    else
      size += random_.between(0, kLargest[rank()]);
    size = std::max(size, needed_[d]);
    if (rank() <= 3) size = std::min(size, std::max(kLargest[rank()], needed_[d]));
    if (!tiny_ && rank() <= 3 && d + 1 == rank() && random_.chance(choices_.rows_of_eight)) {
      size = (size + 7) / 8 * 8;
    }
    tiny = tiny && size <= 5;
    multiple = multiple && size % 8 == 0;
    out_.integers.emplace_back(size_name(d), size);
    for (const Range& range : ranges_) {
      if (range.dimension == d && size - 1 - range.high < range.low) covers("empty region");
    }
  }
  if (tiny) covers("grid of 1..5 points");
  if (multiple) covers("sizes all multiples of 8");
}

}  // namespace stencil::property
