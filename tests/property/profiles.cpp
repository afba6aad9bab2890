// Profiles and series. They are declared by the first expression that reads them, and later
// expressions may read them again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/property/generator_parts.h"

namespace stencil::property {

namespace {

constexpr size_t kMost = 2;  // per kind

}  // namespace

// The range and boundary of a series. The range may start before the run or after its first step.
// If it covers all steps, the series needs no boundary.
std::string Generator::steps_of_series() {
  static const std::vector<std::string> kRules = {
      "clamp", "constant 1", "mirror", "periodic", "[clamp .. constant 0]", "[mirror .. clamp]"};
  if (random_.chance(25)) {
    covers("series without a rule");
    return "[-3..299]";
  }
  const int low = random_.between(-3, 2);
  return fmt::format("[{}..{}] boundary {}", low, low + random_.between(0, 9),
                     random_.pick(kRules));
}

std::string Generator::step() {
  const int steps = random_.chance(50) ? 0 : random_.between(-3, 3);
  if (steps == 0) return "time";
  return steps < 0 ? fmt::format("time - {}", -steps) : fmt::format("time + {}", steps);
}

const Profile& Generator::series(bool integers) {
  std::vector<Profile>& all = integers ? integer_series_ : series_;
  if (all.size() < kMost && (all.empty() || random_.chance(30))) {
    static const std::vector<Number> kIntegers = {Number::Integer, Number::Long};
    static const std::vector<Number> kFloating = {Number::Real, Number::Double, Number::Half};
    Profile made{fmt::format("{}{}", integers ? "q" : "s", all.size())};
    const Number number = random_.pick(integers ? kIntegers : kFloating);
    made.text = fmt::format("series {} : {} {};\n", made.name, name(number), steps_of_series());
    all.push_back(made);
  }
  return random_.pick(all);
}

std::string Generator::series_read(bool integers) {
  covers(integers ? "series of integers" : "series");
  const std::string read = fmt::format("{}[{}]", series(integers).name, step());
  return integers ? fmt::format("({} % 97)", read) : read;
}

const Profile& Generator::profile(bool steps) {
  if (profiles_.size() < kMost && (profiles_.empty() || random_.chance(30))) {
    Profile made{fmt::format("a{}", profiles_.size())};
    for (int d = 0; d < out_.rank; ++d) {
      if (random_.chance(50)) made.dimensions.push_back(d);
    }
    if (made.dimensions.empty()) made.dimensions.push_back(random_.below(out_.rank));
    if (!steps && made.dimensions.size() == rank()) made.dimensions.pop_back();
    const Number number =
        random_.pick<Number>({Number::Real, Number::Double, Number::Float, Number::Bfloat});
    const int count = static_cast<int>(made.dimensions.size());
    made.boundary = random_boundary(random_, count, tiny_ || steps, Rules::Plain);
    std::string rules = made.boundary.text;
    std::string range;
    if (steps) {
      range = fmt::format(" [{}..{}]", -1, random_.between(0, 6));
      if (rules[0] == '[') rules = fmt::format("[clamp, {}", rules.substr(1));
    }
    const std::string vector = random_.chance(20) ? "vector 2 of " : "";
    made.text =
        fmt::format("{} {} : {}{}{} on G along [{}]{}{};\n", steps ? "series" : "field", made.name,
                    vector, name(number), range, fmt::join(made.dimensions, ", "),
                    steps ? "" : " constant", made.boundary.none() ? "" : " boundary " + rules);
    made.selects = vector.empty() ? "" : "[1]";
    if (steps) made.dimensions.insert(made.dimensions.begin(), -1);
    profiles_.push_back(made);
  }
  return random_.pick(profiles_);
}

std::string Generator::profile_read(Site& site) {
  const bool steps = random_.chance(choices_.profile_with_levels);
  if (!steps && profiles_.empty() && rank() == 1) return "";
  const Profile& read = rank() == 1 ? profile(true) : profile(steps);
  std::vector<std::string> offsets;
  size_t own = 0;
  for (const int d : read.dimensions) {
    if (d < 0) {
      covers("series of profiles");
      offsets.push_back(step());
      continue;
    }
    const auto i = static_cast<size_t>(d);
    const Boundary::Sides& sides = read.boundary.dimensions[own++];
    const int offset = std::clamp(random_.between(-2, 2), site.least[i], site.most[i]);
    if (sides.low == "none") site.reach.low[i] = std::max(site.reach.low[i], -offset);
    if (sides.high == "none") site.reach.high[i] = std::max(site.reach.high[i], offset);
    needed_[i] = std::max(needed_[i], points_needed(sides, offset));
    offsets.push_back(fmt::format("{}", offset));
  }
  covers("profile");
  return fmt::format("{}[{}]{}", read.name, fmt::join(offsets, ", "), read.selects);
}

}  // namespace stencil::property
