// Values of floating-point scalars: a damped sum, or an exact linear combination.
#include <fmt/format.h>

#include <bit>
#include <map>
#include <string>

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

// A divisor of magnitude at least `terms`: odd, even, negative, fractional, or a power of two.
std::string Generator::divisor(int terms) {
  static const std::vector<std::string> kOthers = {"118", "159", "-6", "-7", "7.5", "8", "1000"};
  if (random_.chance(50)) return random_.pick(kOthers);
  return fmt::format("{}", terms + random_.between(0, 2));
}

// Exact operations that do not increase the magnitude; $a and $b become accesses. Their results,
// and sums of them, must equal the interpreter's also for NaN and infinities.
std::string Generator::exact_choice(Site& site) {
  static const std::vector<std::string> kForms = {"select($a == $a, $a, 3)",
                                                  "select($a != $a, -2, $b)",
                                                  "select($a < $b, $a, $b)",
                                                  "select(not ($a >= $b), 1, $a)",
                                                  "min($a, $b)",
                                                  "max($a, $b)",
                                                  "abs($a)",
                                                  "integer(min(max($a, -4), 4))",
                                                  "select($a > $b or $b > $a, 2, $a)"};
  covers("exact choices under --fp fast");
  std::string text = random_.pick(kForms);
  for (const char* hole : {"$a", "$b"}) {
    const Field& field = random_.pick(fields_);
    const std::string value = access(field, site);
    for (size_t at = text.find(hole); at != std::string::npos; at = text.find(hole)) {
      text.replace(at, 2, value);
    }
  }
  return text;
}

// Initial values are integers up to 4 in magnitude. A sum whose coefficients add up to S multiplies
// them by at most S, and a division by 4 adds two bits; each step adds that many bits. If values
// may be NaN or infinite, no two terms may cancel or share a factor, even if a boundary makes two
// accesses equal: a compiler that drops or factors them could lose an infinity. Such programs
// therefore have no products, and differences only of plain accesses.
std::string Generator::linear_value(Site& site) {
  covers("exact under --fp fast");
  constexpr int kLargest = 4;
  const int terms = random_.between(2, 7);
  std::string sum;
  std::map<std::string, bool> added;  // by the multiplied term; false: subtracted
  unsigned magnitude = 1;
  for (int t = 0; t < terms; ++t) {
    const int coefficient = random_.pick<int>({1, 1, 1, 2, 3});
    const Field& field = random_.pick(fields_);
    std::string term = access(field, site);
    magnitude += static_cast<unsigned>(coefficient);
    if (!plain_ && random_.chance(25)) {
      term = exact_choice(site);
      magnitude += kLargest;  // a select may give a constant this large
    } else if (out_.finite && !field.constant && fields_.back().constant && random_.chance(25)) {
      term += " * " + access(fields_.back(), site);
      magnitude += kLargest * static_cast<unsigned>(coefficient);
    }
    const bool add = t == 0 || !(plain_ || out_.finite) || random_.chance(70);
    const bool plus = added.emplace(term, add).first->second;
    if (coefficient != 1) term = fmt::format("{} * {}", coefficient, term);
    sum += t == 0 ? term : (plus ? " + " : " - ") + term;
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
