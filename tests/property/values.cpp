// What a scalar in floating point becomes: a damped sum, or a linear combination that is exact.
#include <fmt/format.h>

#include <bit>

#include "tests/property/generator_parts.h"

namespace stencil::property {

std::string Generator::floating_value(Site& site) {
  const int terms = random_.between(1, 5);
  std::string sum = floating(site, 0);
  for (int t = 1; t < terms; ++t) {
    sum += random_.chance(70) ? " + " : " - ";
    sum += floating(site, 0);
  }
  switch (random_.below(4)) {
    case 0:
      covers("division by a constant");
      return fmt::format("({}) / {}", sum, divisor(terms));
    case 1:
      return fmt::format("{:.3f} * ({})", 0.9 / terms, sum);
    case 2:
      covers("min, max");
      return fmt::format("min(max(({}) * {:.4f}, -2), 3)", sum, 1.0 / terms);
    default:
      return fmt::format("{:.3f} * ({}) + 0.125", 0.7 / terms, sum);
  }
}

// Of a magnitude of at least `terms`; odd, even, negative, no integer, a power of two.
std::string Generator::divisor(int terms) {
  static const std::vector<std::string> kOthers = {"118", "159", "-6", "-7", "7.5", "8", "1000"};
  if (random_.chance(50)) return random_.pick(kOthers);
  return fmt::format("{}", terms + random_.between(0, 2));
}

// Values begin as integers up to 4 in magnitude. A sum whose coefficients have the sum S makes them
// at most S times as large, and a division by 4 adds two places: that many bits more per step.
std::string Generator::linear_value(Site& site) {
  covers("exact under --fp fast");
  constexpr int kLargest = 4;
  const int terms = random_.between(2, 7);
  std::string sum;
  unsigned magnitude = 1;
  for (int t = 0; t < terms; ++t) {
    const int coefficient = random_.pick<int>({1, 1, 1, 2, 3});
    const Field& field = random_.pick(fields_);
    std::string term = access(field, site);
    magnitude += static_cast<unsigned>(coefficient);
    if (coefficient != 1) term = fmt::format("{} * {}", coefficient, term);
    if (!plain_ && !field.constant && fields_.back().constant && random_.chance(25)) {
      term += " * " + access(fields_.back(), site);
      magnitude += kLargest * static_cast<unsigned>(coefficient);
    }
    sum += t == 0 ? term : (random_.chance(70) ? " + " : " - ") + term;
  }
  bits_per_step_ += std::bit_width(magnitude);
  switch (random_.below(3)) {
    case 0:
      return sum + " + 1";
    case 1:
      bits_per_step_ += 2;
      return fmt::format("0.25 * ({})", sum);
    default:
      return sum;
  }
}

}  // namespace stencil::property
