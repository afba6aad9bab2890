// Origin and spacing of the grid, and the functions that read them. The values depend on fixed,
// open and run-time params. A spacing is positive for any of their values.
#include <fmt/format.h>

#include "tests/property/generator_parts.h"

namespace stencil::property {

// One value for all dimensions, or a list with one per dimension.
std::string Generator::per_dimension(const std::vector<std::string>& choices) {
  if (random_.chance(40)) return random_.pick(choices);
  std::vector<std::string> values;
  for (size_t d = 0; d < rank(); ++d) values.push_back(random_.pick(choices));
  return fmt::format("[{}]", list(values));
}

// The attributes of the grid, including " steps 4".
std::string Generator::grid_attributes() {
  static const std::vector<std::string> kOrigins = {
      "0", "-1", "0.75", "-alpha", "m", "gamma - N0", "-0.5 * (N0 - 1)", "2 * alpha - beta"};
  static const std::vector<std::string> kSpacings = {"1",
                                                     "0.5",
                                                     "2",
                                                     "1/3",
                                                     "alpha + 0.125",
                                                     "0.25 * (alpha + 1)",
                                                     "3.0 / (N0 + 2)",
                                                     "abs(gamma) / 7",
                                                     "abs(beta) + 0.1"};
  std::vector<std::string> attributes = {" steps 4"};
  if (random_.chance(choices_.spacing)) {
    covers("spacing");
    attributes.push_back(" spacing " + per_dimension(kSpacings));
  }
  if (random_.chance(choices_.origin)) {
    covers("origin");
    attributes.push_back(" origin " + per_dimension(kOrigins));
  }
  std::string text;
  while (!attributes.empty()) {
    const auto at = random_.below(static_cast<int>(attributes.size()));
    text += attributes[at];
    attributes.erase(attributes.begin() + at);
  }
  return text;
}

// The position of the point in some dimension.
std::string Generator::position(Site& site) {
  const std::string index = index_name(site);
  if (index.empty()) return "";
  if (!has_place_ || random_.chance(60)) return fmt::format("position({})", index);
  covers("position in a function");
  return fmt::format("place({})", index);
}

// The argument of origin() and spacing(): an index, or the number of a dimension.
std::string Generator::dimension(Site& site) {
  const std::string index = random_.chance(40) ? index_name(site) : "";
  return index.empty() ? fmt::format("{}", random_.below(out_.rank)) : index;
}

}  // namespace stencil::property
