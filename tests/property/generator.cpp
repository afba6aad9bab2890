// Programs are generated as text, so that the tests include the parser and semantic analysis.
//
// Functions come first. Each collects, per dimension, how far its accesses reach from the point on
// fields without a boundary. Regions keep that distance from the edges of the grid, and the grid
// gets at least the size at which every region has a point. Expressions are mostly damped sums, so
// that values stay finite over many steps and any wrong bit shows.
//
// Functions from the targets' libraries (exp, sin, ...) are excluded, because their last bits
// differ.
#include "tests/property/generator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/property/cycles.h"
#include "tests/property/generator_parts.h"
#include "tests/property/many_dimensions.h"
#include "tests/property/names.h"
#include "tests/property/several_grids.h"
#include "tests/property/subgrids.h"

namespace stencil::property {

std::string size_name(size_t d) {
  return fmt::format("N{}", d);
}

std::string list(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}
std::string list(const Offset& offset) {
  return fmt::format("{}", fmt::join(offset, ","));
}

// Params derived from others. Some of them also get a value.
std::string Generator::derived_params() {
  static const std::vector<std::string> kIntegers = {"2 * m - 1", "m / 2", "m % 3",
                                                     "max(m, 0) + 1"};
  static const std::vector<std::string> kReals = {
      "alpha / gamma",
      "0.5 * alpha * beta + 0.25",
      "min(alpha, beta) - 1 / gamma",
      "sqrt(alpha) / (1 + m * m)",
      "0.1 * m / gamma",
      "select(gamma > 4, alpha, beta)",
      "float(alpha) * 0.3 - beta / 7",
      "alpha * alpha * alpha / 3",
      "0.125 * real(derived_integer) + alpha * beta * 0.1"};
  static const std::vector<std::string> kChains = {
      "derived_real * derived_real", "max(derived_real, 0.1) / gamma",
      "derived_real * 0.7 + derived_integer / 9.0", "fma(derived_real, alpha, 0.1)"};
  const size_t integer = static_cast<size_t>(random_.below(static_cast<int>(kIntegers.size())));
  std::string text = fmt::format("param derived_integer : integer = {};\n", kIntegers[integer]);
  // Code replaces a param that is affine in open params, so it cannot get a value.
  if (integer > 0 && random_.chance(25)) {
    out_.integers.emplace_back("derived_integer", random_.between(-3, 5));
    covers("derived param that is given");
  }
  text += fmt::format("param derived_real : real = {};\n", random_.pick(kReals));
  text += fmt::format("param derived_double : double = {};\n", random_.pick(kChains));
  for (const char* name : {"derived_real", "derived_double"}) {
    if (!random_.chance(40)) continue;
    out_.reals.emplace_back(name, random_.unit());
    covers("derived param that is given");
  }
  return text +
         "param group : { a : real, b : vector 2 of double } = "
         "{ a = 0.5 * alpha, b = { 0.25, beta / gamma } };\n";
}

GeneratedProgram Generator::run() {
  out_.rank = 1 + random_.weighted(choices_.ranks);
  needed_.assign(rank(), 1);
  first_.assign(rank(), 0);
  if (random_.chance(choices_.first_point)) {
    for (int& first : first_) first = random_.between(-9, 5);
    covers("grid that does not begin at 0");
  }
  exact_ = random_.chance(choices_.exact);
  plain_ = exact_ && random_.chance(choices_.plain);
  out_.finite = exact_ && !plain_ && random_.chance(50);
  tiny_ = !plain_ && random_.chance(choices_.tiny);
  if (!tiny_) make_sub_grids();
  make_fields();
  std::string functions = exact_ ? "" : make_functions();
  const int count = random_.between(1, plain_ ? static_cast<int>(targets().size()) : 3);
  choose_repeat(count);
  choose_statistics(count);
  functions += make_stencils(count);
  const bool reduces = random_.chance(choices_.reductions);
  if (reduces) functions += make_reductions();
  if (!exact_ && random_.chance(choices_.records)) functions += make_records();
  choose_sizes();
  std::string text;
  for (const auto& [name, value] : out_.integers)
    text += fmt::format("param {} : integer;\n", name);
  text +=
      "param m : integer;\nparam alpha : real = 0.375;\nparam beta : double = 0.6;\n"
      "param gamma : real = 6;\n";
  text += derived_params();
  text += fmt::format("grid G = [{}]{};\n", box_of(Margin(out_.rank)), grid_attributes());
  for (size_t d = 0; d < rank(); ++d) {
    text += fmt::format("require {} >= {};\n", size_name(d), needed_[d]);
  }
  // Divisors may be m, m + 1 or m - 1. None may be 0, because a division by a known 0 is an error.
  const int64_t m = random_.between(-3, 5);
  out_.integers.emplace_back("m", m == 1 || m == -1 ? 4 * m : m == 0 ? 6 : m);
  out_.reals.emplace_back("alpha", random_.unit());
  out_.reals.emplace_back("beta", 2 * random_.unit() - 1);
  out_.reals.emplace_back("gamma", random_.pick<double>({3, 6, -7, 8, 7.5, 1000}));
  out_.text = text + declarations() + functions;
  constexpr int kDoubleBits = 50, kInitialBits = 3, kPointBits = 18;  // bits of a sum over the grid
  const int left = kDoubleBits - kInitialBits - (reduces ? kPointBits : 0);
  if (exact_) out_.exact_steps = left / std::max(bits_per_step_, 1);
  return std::move(out_);
}

int64_t GeneratedProgram::valid_size(size_t d, int64_t size) const {
  const int64_t given = integers[d].second, period = size_periods.empty() ? 1 : size_periods[d];
  return given + std::max<int64_t>(size - given, 0) / period * period;
}

GeneratedProgram random_program(uint64_t seed, const Choices& choices) {
  const auto drawn = [&] {
    if (seed % 6 == 5) return random_subgrid_program(seed);
    if (choices.several_grids && seed % 4 == 2) return random_program_on_several_grids(seed);
    if (choices.several_grids && seed % 8 == 4) return random_program_with_cycles(seed);
    GeneratedProgram program = Generator(seed, choices).run();
    for (uint64_t other = seed; too_large(program);) {
      other = Random(other).next();
      program = Generator(other, choices).run();
    }
    return program;
  };
  GeneratedProgram program = drawn();
  rename(program, seed, choices);
  return program;
}

std::string module_name(uint64_t seed, FpMode fp, const std::string& family) {
  return fmt::format("p{}_{}_{}", seed, name(fp), family);
}

}  // namespace stencil::property
