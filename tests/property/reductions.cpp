// Reductions and the stop condition.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/property/generator_parts.h"

namespace stencil::property {

// One or two reductions, of values around one per point, and perhaps a condition that some of the
// runs meet.
std::string Generator::make_reductions() {
  allow_lets_ = false;
  std::string out;
  std::vector<std::string> conditions;
  const int count = random_.between(1, 2);
  for (int r = 0; r < count; ++r) {
    Reach reach(rank());
    uses_index_.clear();
    const std::string reducer = random_.pick<std::string>({"sum", "sum", "prod", "min", "max"});
    covers("reduction " + reducer);
    const std::string value = reduced_value(reducer, reach);
    const int every = random_.pick<int>({1, 2, 3, 5});
    out += fmt::format("reduce r{} = {}({}) on [{}]", r, reducer, value, region(reach, true));
    out += every == 1 && random_.chance(50) ? ";\n" : fmt::format(" every {};\n", every);
    const std::string threshold = fmt::format("{:.3f}", 2 * random_.unit() - 0.5);
    conditions.push_back(fmt::format("r{} {} {}", r, random_.chance(50) ? "<" : ">", threshold));
  }
  allow_lets_ = true;
  if (random_.chance(40)) return out;
  covers("stop");
  std::string condition =
      fmt::format("{}", fmt::join(conditions, random_.chance(50) ? " and " : " or "));
  if (random_.chance(30)) condition = fmt::format("({}) and time >= 2", condition);
  return out + fmt::format("stop when {};\n", condition);
}

std::string Generator::reduced_value(const std::string& reducer, Reach& reach) {
  const Field& field = random_.pick(fields_);
  allow_index_ = true;
  if (field.element == Element::Integer) {
    covers("reduction of integers");
    const std::string value = access(field, reach);
    return reducer == "prod" ? fmt::format("select({} > 0, 1, -1)", value) : value;
  }
  if (field.history > 1 && random_.chance(60)) {
    covers("reduction of a change");
    const std::string here = fmt::format("{}", fmt::join(std::vector<int>(rank(), 0), ","));
    const std::string part = field.element == Element::Vector ? "[1]" : "";
    return fmt::format("abs({0}[{1}]{2} - {0}@-1[{1}]{2})", field.name, here, part);
  }
  const std::string value = real_term(reach, 1);
  if (reducer == "prod") return fmt::format("1 + 0.01 * ({})", value);
  switch (random_.below(3)) {
    case 0:
      return fmt::format("({}) * {}", value, real_access(reach));
    case 1:
      return fmt::format("abs({} - {})", value, real_access(reach));
    default:
      return value;
  }
}

}  // namespace stencil::property
