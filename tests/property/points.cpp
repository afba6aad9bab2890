// Sets of points, and what has a value for each of them. They are declared when an expression first
// reads one, and read again by some of the later ones.
#include <fmt/format.h>

#include "tests/property/generator_parts.h"

namespace stencil::property {

namespace {

constexpr size_t kMostAtPoints = 2;  // of a kind

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

// What they give at the point computed.
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

}  // namespace stencil::property
