// Half of the boundaries with rules have one for all edges; of the others a third are by dimension
// only. Sides without a rule are rarer, for they only keep regions away from an edge.
#include "tests/property/boundaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace stencil::property {

namespace {

std::string random_rule(Random& random, bool everywhere) {
  static const std::vector<std::string> kRules = {
      "clamp", "constant 0", "constant 1", "mirror", "constant 2", "clamp", "mirror", "none"};
  return kRules[static_cast<size_t>(random.below(everywhere ? 7 : 8))];
}

Boundary::Sides random_sides(Random& random, bool everywhere, bool by_side) {
  if (random.chance(20)) return {"periodic", "periodic"};
  const std::string low = random_rule(random, everywhere);
  return {low, by_side ? random_rule(random, everywhere) : low};
}

std::string first_word(const std::string& rule) {
  return rule.substr(0, rule.find(' '));
}

}  // namespace

bool Boundary::none() const {
  return std::all_of(dimensions.begin(), dimensions.end(), [](const Sides& sides) {
    return sides.low == "none" && sides.high == "none";
  });
}

bool Boundary::covers() const {
  return std::all_of(dimensions.begin(), dimensions.end(), [](const Sides& sides) {
    return sides.low != "none" && sides.high != "none";
  });
}

std::set<std::string> Boundary::constructs() const {
  if (none()) return {"boundary none"};
  if (text[0] != '[') return {"boundary " + first_word(text)};
  std::set<std::string> out = {"boundary by dimension"};
  for (const Sides& sides : dimensions) {
    if (sides.low == sides.high) continue;
    out.insert(fmt::format("boundary {} .. {}", first_word(sides.low), first_word(sides.high)));
  }
  return out;
}

Boundary random_boundary(Random& random, int rank, bool everywhere) {
  Boundary out;
  const auto count = static_cast<size_t>(rank);
  const int roll = random.between(everywhere ? 35 : 0, 99);
  if (roll < 65) {
    static const std::vector<std::string> kRules = {"clamp", "mirror", "periodic", "constant 0",
                                                    "constant 1"};
    out.text = roll < 35 ? "none" : random.pick(kRules);
    out.dimensions.assign(count, {out.text, out.text});
    return out;
  }
  const bool by_side = random.chance(70);
  std::vector<std::string> entries;
  for (int d = 0; d < rank; ++d) {
    const Boundary::Sides sides = random_sides(random, everywhere, by_side);
    out.dimensions.push_back(sides);
    entries.push_back(sides.low == sides.high && random.chance(80)
                          ? sides.low
                          : fmt::format("{} .. {}", sides.low, sides.high));
  }
  out.text = fmt::format("[{}]", fmt::join(entries, ", "));
  return out;
}

Boundary no_boundary(int rank) {
  return {std::vector<Boundary::Sides>(static_cast<size_t>(rank)), "none"};
}

int points_needed(const Boundary::Sides& sides, int offset) {
  const std::string& near = offset < 0 ? sides.low : sides.high;
  const std::string& far = offset < 0 ? sides.high : sides.low;
  return near == "mirror" && far == "none" ? std::abs(offset) + 1 : 1;
}

}  // namespace stencil::property
