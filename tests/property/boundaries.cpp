// Half of the boundaries have one rule for all edges, and a third of the others have rules by
// dimension only. Sides without a rule are rarer, because they only keep regions away from an edge.
#include "tests/property/boundaries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace stencil::property {

namespace {

const std::vector<std::string>& computed_rules() {
  static const std::vector<std::string> kRules = {
      "odd",           "constant m * m", "constant time", "constant 2 * m - time", "symmetric",
      "antisymmetric", "linear",         "fixed 1",       "fixed 2 - time"};
  return kRules;
}

// Rules of fields of floating type.
const std::vector<std::string>& gradients() {
  static const std::vector<std::string> kRules = {"gradient 0.5", "gradient alpha * time",
                                                  "mirror gradient 1", "mirror gradient m - time"};
  return kRules;
}

bool is_computed(const std::string& rule) {
  const auto among = [&](const std::vector<std::string>& rules) {
    return std::find(rules.begin(), rules.end(), rule) != rules.end();
  };
  return among(computed_rules()) || among(gradients());
}

std::string random_rule(Random& random, bool everywhere, Rules permitted) {
  static const std::vector<std::string> kRules = {
      "clamp", "constant 0", "constant 1", "mirror", "constant 2", "clamp", "mirror", "none"};
  if (permitted != Rules::Plain && random.chance(35)) {
    const bool slope = random.chance(25);
    return random.pick(slope && permitted == Rules::All ? gradients() : computed_rules());
  }
  return kRules[random.below(everywhere ? 7 : 8)];
}

Boundary::Sides random_sides(Random& random, bool everywhere, bool by_side, Rules permitted) {
  if (random.chance(20)) return {"periodic", "periodic"};
  const std::string low = random_rule(random, everywhere, permitted);
  return {low, by_side ? random_rule(random, everywhere, permitted) : low};
}

std::string first_word(const std::string& rule) {
  return rule.substr(0, rule.find(' '));
}

// "gradient" of "gradient 0.5", "mirror gradient" of "mirror gradient 1"
std::string name_of(const std::string& rule) {
  return rule.starts_with("mirror gradient") ? "mirror gradient" : first_word(rule);
}

// The coverage name of one side of a pair. Coverage counts single sides, because there are too many
// pairs to draw each.
std::string side_name(const std::string& rule) {
  const std::string word = first_word(rule);
  return word != "constant" && is_computed(rule) ? "odd or the like" : word;
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
  if (text[0] != '[' && plain()) return {"boundary " + first_word(text)};
  std::set<std::string> out = {"boundary by dimension"};
  for (const Sides& sides : dimensions) {
    for (const std::string* rule : {&sides.low, &sides.high}) {
      if (!is_computed(*rule)) continue;
      const bool value = first_word(*rule) == "constant";
      out.insert(value ? "boundary with a computed value" : "boundary " + name_of(*rule));
    }
  }
  for (const Sides& sides : dimensions) {
    if (sides.low == sides.high) continue;
    out.insert(fmt::format("boundary {} .. {}", side_name(sides.low), side_name(sides.high)));
  }
  return out;
}

bool Boundary::plain() const {
  return std::all_of(dimensions.begin(), dimensions.end(), [](const Sides& sides) {
    return !is_computed(sides.low) && !is_computed(sides.high);
  });
}

Boundary random_boundary(Random& random, int rank, bool everywhere, Rules permitted) {
  Boundary out;
  const auto count = static_cast<size_t>(rank);
  const int roll = random.between(everywhere ? 35 : 0, 99);
  if (roll < 65) {
    static const std::vector<std::string> kRules = {"clamp", "mirror", "periodic", "constant 0",
                                                    "constant 1"};
    out.text = roll < 35 ? "none" : random.pick(kRules);
    if (roll >= 60) out.text = random_rule(random, true, permitted);
    out.dimensions.assign(count, {out.text, out.text});
    return out;
  }
  const bool by_side = random.chance(70);
  std::vector<std::string> entries;
  for (int d = 0; d < rank; ++d) {
    const Boundary::Sides sides = random_sides(random, everywhere, by_side, permitted);
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
  const bool fixed_far = first_word(far) == "fixed";
  if (near == "linear" && offset != 0) return 2;
  const std::string word = name_of(near);
  const bool reflects = word == "odd" || word == "symmetric" || word == "antisymmetric" ||
                        word == "gradient" || word == "mirror gradient" || word == "fixed";
  const bool once = reflects || (near == "mirror" && (far == "none" || is_computed(far)));
  // the image must not be a fixed edge point
  return once ? std::abs(offset) + (fixed_far ? 2 : 1) : 1;
}

bool needs_two_points(const Boundary::Sides& sides) {
  const auto needs = [](const std::string& rule) {
    return rule == "linear" || first_word(rule) == "fixed";
  };
  return needs(sides.low) || needs(sides.high);
}

std::string with_constant_edges(std::string text) {
  const std::string word = "fixed ";
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    text.replace(at, word.size(), "constant ");
  }
  return text;
}

}  // namespace stencil::property
