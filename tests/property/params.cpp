// The terms are those that folding treats in different ways: products and quotients by a param,
// params that meet literals and each other, choices that become known, functions of params alone.
#include "tests/property/params.h"

#include <fmt/format.h>

namespace stencil::property {

std::string declare_float_params(Random& random) {
  const auto beta = random.pick<std::string>({"3", "6", "-7", "8", "7.5", "1000"});
  return fmt::format("param alpha : real = 0.375;\nparam beta : real = {};\n", beta);
}

std::string param_term(Random& random, const std::string& value) {
  switch (random.below(8)) {
    case 0:
      return fmt::format("{} / beta", value);
    case 1:
      return fmt::format("(0.1 * alpha - 1 / beta) * {}", value);
    case 2:
      return fmt::format("select(alpha < 0.4 and beta > 2, {0}, -{0})", value);
    case 3:
      return fmt::format("(alpha * (1 + alpha / 3) * {})", value);
    case 4:
      return fmt::format("fma(alpha, alpha, 0.3 / beta) * {}", value);
    case 5:
      return fmt::format("(0.001 * beta / sqrt(alpha) - {})", value);
    default:
      return fmt::format("alpha * {}", value);
  }
}

std::set<std::string> fixed_params(Random& random) {
  std::set<std::string> names;
  for (const char* name : {"alpha", "beta"}) {
    if (random.chance(30)) names.insert(name);
  }
  return names;
}

}  // namespace stencil::property
