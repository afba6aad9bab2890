// Programs are generated as text, so that the parser and semantic analysis are part of what is
// tested.
//
// Functions come first: each collects, per dimension, how far its accesses reach beyond the point
// on fields without a boundary; the regions keep that distance from the grid's edges, and the grid
// is then made at least large enough for every region to have a point. Expressions are mostly
// damped sums, so that values stay finite over many steps and a wrong bit anywhere shows.
#include "tests/property/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/property/generator_parts.h"

namespace stencil::property {

GeneratedProgram Generator::run() {
  out_.rank = random_.between(1, 3);
  needed_.assign(static_cast<size_t>(out_.rank), 1);
  make_fields();
  const bool has_lap = random_.chance(25);
  std::string functions = has_lap ? make_function() : "";
  const int count = random_.between(1, 3);
  for (int f = 0; f < count; ++f) functions += make_stencil(f);
  if (random_.chance(30)) functions += make_reductions();
  choose_sizes();
  std::string text;
  for (const auto& [name, value] : out_.sizes) text += fmt::format("param {} : integer;\n", name);
  text += "param alpha : real = 0.375;\n";
  text += "grid G = [" + full_box() + "] steps 4;\n";
  for (size_t d = 0; d < needed_.size(); ++d) {
    text += fmt::format("require {} >= {};\n", size_name(d), needed_[d]);
  }
  const auto inner = [](const Field& field) { return field.inner; };
  if (std::any_of(fields_.begin(), fields_.end(), inner)) {
    text += "subgrid H of G = [" + inner_box() + "];\n";
  }
  for (const Field& field : fields_) text += declare(field);
  out_.text = text + functions;
  return std::move(out_);
}

// function lap(u : field) = ...: a sum over neighbours along one random axis.
std::string Generator::make_function() {
  lap_axis_ = random_.below(rank());
  lap_radius_ = random_.between(1, 2);
  std::vector<std::string> plus, minus;
  for (int d = 0; d < rank(); ++d) {
    plus.push_back(fmt::format("{}", d == lap_axis_ ? lap_radius_ : 0));
    minus.push_back(fmt::format("{}", d == lap_axis_ ? -lap_radius_ : 0));
  }
  std::vector<std::string> zero(static_cast<size_t>(rank()), "0");
  return fmt::format("function lap(u : field) = u[{}] + u[{}] - 2 * u[{}];\n", fmt::join(plus, ","),
                     fmt::join(minus, ","), fmt::join(zero, ","));
}

GeneratedProgram random_program(uint64_t seed) {
  return Generator(seed).run();
}

}  // namespace stencil::property
