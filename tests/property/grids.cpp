#include "tests/property/grids.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace stencil::property {

int64_t floor_of(int64_t value, int64_t divisor) {
  int64_t quotient = value / divisor;
  while (quotient * divisor > value) --quotient;
  return quotient;
}

std::string DerivedGrid::declaration(const std::string& parent) const {
  const bool same = std::all_of(ratios.begin(), ratios.end(),
                                [this](int ratio) { return ratio == ratios.front(); });
  const std::string by =
      same ? fmt::format("{}", ratios.front()) : fmt::format("[{}]", fmt::join(ratios, ", "));
  return fmt::format("grid {} of {} by {}{};\n", name, parent, by, cells ? " cells" : "");
}

Grids::Grids(std::vector<int> first, std::vector<int64_t> sizes)
    : first_(std::move(first)), sizes_(std::move(sizes)) {
  all_.push_back({"G", -1, std::vector<int>(first_.size(), 1), std::vector<int>(first_.size(), 1)});
}

void Grids::derive(Random& random, int count) {
  constexpr int kLargestRatio = 4, kLargestTotal = 24;
  for (int g = 0; g < count; ++g) {
    DerivedGrid grid;
    grid.name = fmt::format("G{}", g + 1);
    grid.of = random.chance(50) ? static_cast<int>(all_.size()) - 1
                                : random.below(static_cast<int>(all_.size()));
    grid.cells = random.chance(45);
    const int64_t least = random.chance(10) ? 1 : 4;  // points
    const int usual = random.between(2, 3);
    for (int d = 0; d < rank(); ++d) {
      const Bounds of = bounds(grid.of, static_cast<size_t>(d));
      const int before = all_[grid.of].total[d];
      std::vector<int> possible;
      for (int ratio = 1; ratio <= kLargestRatio && ratio * before <= kLargestTotal; ++ratio) {
        const bool exact = of[0] % ratio == 0 && (of[1] + 1) % ratio == 0;
        const int64_t points = floor_of(of[1], ratio) + floor_of(-of[0], ratio) + 1;
        if (points >= least && (exact || !grid.cells)) possible.push_back(ratio);
      }
      if (possible.empty()) possible.push_back(1);
      const bool has_usual = std::find(possible.begin(), possible.end(), usual) != possible.end();
      grid.ratios.push_back(has_usual && random.chance(70) ? usual : random.pick(possible));
      grid.total.push_back(before * grid.ratios.back());
    }
    all_.push_back(grid);
  }
  for (size_t d = 0; d < first_.size(); ++d) {
    std::vector<int64_t> sizes;
    for (int64_t size = sizes_[d]; size < sizes_[d] + period(d); ++size) {
      if (admits(d, size)) sizes.push_back(size);
    }
    periods_.push_back(sizes);
  }
}

int64_t Grids::period(size_t d) const {
  int64_t period = 1;
  for (const DerivedGrid& grid : all_) period = std::lcm(period, int64_t{grid.total[d]});
  return period;
}

bool Grids::admits(size_t d, int64_t size) const {
  for (size_t g = 0; g < all_.size(); ++g) {
    if (!bounds(static_cast<int>(g), d, size)) return false;
  }
  return true;
}

std::optional<Bounds> Grids::bounds(int grid, size_t d, int64_t size) const {
  const DerivedGrid& found = all_[grid];
  if (found.of < 0) return Bounds{first_[d], first_[d] + size - 1};
  const auto fine = bounds(found.of, d, size);
  if (!fine) return std::nullopt;
  const auto [low, high] = *fine;
  const int ratio = found.ratios[d];
  if (!found.cells) return Bounds{-floor_of(-low, ratio), floor_of(high, ratio)};
  if (low % ratio != 0 || (high + 1) % ratio != 0) return std::nullopt;
  return Bounds{low / ratio, (high + 1) / ratio - 1};
}

std::array<int, 2> Grids::map(int from, int to, size_t d) const {
  const int scale = all_[from].total[d], divisor = all_[to].total[d];
  const int common = std::gcd(scale, divisor);
  return {scale / common, divisor / common};
}

}  // namespace stencil::property
