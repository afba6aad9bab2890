// Point sets and values per point. They are declared by the first expression that reads them, and
// later expressions may read them again.
#include <fmt/format.h>

#include <algorithm>

#include "tests/property/generator_parts.h"

namespace stencil::property {

namespace {

constexpr size_t kMostAtPoints = 2;  // per kind

}  // namespace

const std::string& Generator::point_set() {
  if (point_sets_.size() < kMostAtPoints && (point_sets_.empty() || random_.chance(30))) {
    const std::string name = fmt::format("d{}", point_sets_.size());
    const int first = random_.between(0, 2);
    std::string weights;
    if (random_.chance(30)) {
      covers("points with weights");
      weights = fmt::format(" weights {}", random_.between(1, rank() > 3 ? 2 : 4));
    }
    point_text_ += fmt::format("points {} [{}..{}] on G{};\n", name, first,
                               first + random_.between(0, 8), weights);
    point_sets_.push_back(name);
  }
  return random_.pick(point_sets_);
}

// The contribution of points to the current grid point.
std::string Generator::points_read() {
  static const std::vector<Number> kTypes = {Number::Real, Number::Double, Number::Float,
                                             Number::Half};
  covers("points");
  if (random_.chance(15)) return point_set();
  const bool steps = random_.chance(60);
  std::vector<std::string>& all = steps ? series_at_points_ : values_at_points_;
  if (all.size() < kMostAtPoints && (all.empty() || random_.chance(30))) {
    const std::string name = fmt::format("{}{}", steps ? "g" : "h", all.size());
    const std::string type = property::name(random_.pick(kTypes));
    if (steps) {
      point_text_ += fmt::format("series {} : {} [{}..{}] on {} boundary {};\n", name, type,
                                 random_.between(-2, 1), random_.between(2, 9), point_set(),
                                 random_.pick<std::string>({"clamp", "constant 0.5", "periodic"}));
    } else {
      point_text_ += fmt::format("field {} : {} on {} constant;\n", name, type, point_set());
    }
    all.push_back(name);
  }
  if (!steps) return random_.pick(all);
  covers("series at points");
  return fmt::format("{}[{}]", random_.pick(all), step());
}

// One or two records. Each has its own point set if its value reads beyond the point.
std::string Generator::make_records() {
  std::string out;
  const int count = random_.between(1, 2);
  for (int r = 0; r < count; ++r) {
    Site site(out_.rank);
    site.names_allowed = false;
    const bool plain = random_.chance(50);
    const std::string value = plain ? floating_access(site) : floating(site, 1);
    covers(plain ? "record of a field" : "record of an expression");
    std::string set;
    const Margin none(out_.rank);
    if (site.reach.low == none.low && site.reach.high == none.high) {
      set = point_set();
    } else {
      covers("record on a sub-grid");
      set = fmt::format("e{}", r);
      for (size_t d = 0; d < rank(); ++d) {
        needed_[d] = std::max(needed_[d], site.reach.low[d] + site.reach.high[d] + 1);
      }
      out += fmt::format("subgrid near{} of G = [{}];\npoints {} [0..{}] on near{};\n", r,
                         box_of(site.reach), set, random_.between(0, 8), r);
    }
    const int every = random_.pick<int>({1, 1, 2, 3, 5});
    // Enough rows for the longest run.
    out += fmt::format("record rec{} [0..{}] = {} at {}", r, random_.between(80, 90), value, set);
    if (every > 1 || random_.chance(20)) out += fmt::format(" every {}", every);
    out += ";\n";
    covers(every == 1 ? "record every step" : "record every k steps");
  }
  return out;
}

}  // namespace stencil::property
