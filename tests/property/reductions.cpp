// Reductions and the stop condition.
#include <fmt/format.h>

#include "tests/property/generator_parts.h"

namespace stencil::property {

// One or two reductions, of values around one per point, and perhaps a condition that some of the
// runs meet.
std::string Generator::make_reductions() {
  std::string out;
  std::vector<std::string> conditions;
  const int count = random_.between(1, 2);
  for (int r = 0; r < count; ++r) {
    Site site(out_.rank);
    std::string reducer = random_.pick<std::string>({"sum", "sum", "prod", "min", "max"});
    if (exact_ && reducer == "prod") reducer = "max";
    covers("reduction " + reducer);
    const std::string value = reduced_value(reducer, site);
    const int every = random_.pick<int>({1, 2, 3, 5});
    const std::string condition = where(site);
    const std::string points = site.names.empty() && random_.chance(15)
                                   ? named_region(site.reach)
                                   : fmt::format("[{}]", region(site));
    out += fmt::format("reduce r{} = {}({}) on {}{}", r, reducer, value, points, condition);
    out += every == 1 && random_.chance(50) ? ";\n" : fmt::format(" every {};\n", every);
    covers(every == 1 ? "reduction every step" : "reduction every k steps");
    const std::string threshold = fmt::format("{:.3f}", 2 * random_.unit() - 0.5);
    conditions.push_back(fmt::format("r{} {} {}", r, random_.chance(50) ? "<" : ">", threshold));
    if (random_.chance(25)) conditions.back() = fmt::format("not ({})", conditions.back());
  }
  if (!random_.chance(choices_.stop)) return out;
  covers("stop");
  std::string condition =
      fmt::format("{}", fmt::join(conditions, random_.chance(50) ? " and " : " or "));
  if (random_.chance(30)) condition = fmt::format("({}) and time >= 2", condition);
  return out + fmt::format("stop when {};\n", condition);
}

// --- Reductions that the step may read

void Generator::choose_statistics(int functions) {
  if (exact_ || !random_.chance(choices_.statistics)) return;
  const int count = random_.between(1, 3);
  for (int s = 0; s < count; ++s) {
    int place = random_.between(0, functions);
    if (repeat_.is_inside(place)) place = random_.chance(50) ? repeat_.first : repeat_.last + 1;
    statistics_.push_back({fmt::format("total{}", s), place});
  }
}

std::string Generator::make_statistics(int functions) {
  std::string out;
  for (Statistic& statistic : statistics_) {
    if (statistic.place != functions) continue;
    Site site(out_.rank);
    const std::string reducer = random_.pick<std::string>({"sum", "sum", "prod", "min", "max"});
    in_statistic_ = true;
    const std::string value = reduced_value(reducer, site);
    const std::string condition = where(site);
    in_statistic_ = false;
    const std::string points = site.names.empty() && random_.chance(15)
                                   ? named_region(site.reach)
                                   : fmt::format("[{}]", region(site));
    out += fmt::format("reduce {} = {}({}) on {}{} initial {};\n", statistic.name, reducer, value,
                       points, condition, random_.pick<std::string>({"0", "1", "m", "2 + m"}));
    statistic.made = true;
  }
  return out;
}

// One of those above, or the step before of any. Types would follow from themselves if those above
// read those below.
std::string Generator::statistic_read() {
  if (statistics_.empty()) return "";
  const Statistic& read = random_.pick(statistics_);
  if (!read.made && in_statistic_) return "";
  const bool before = !read.made || random_.chance(35);
  covers(!before     ? "reduction of this step"
         : read.made ? "reduction of the step before, below it"
                     : "reduction of the step before");
  return before ? read.name + "@-1" : read.name;
}

std::string Generator::reduced_value(const std::string& reducer, Site& site) {
  const Field& field = random_.pick(fields_);
  if (exact_) return access(field, site);
  const Component component = random_.pick(components_of(field.type));
  if (is_condition(component.number)) {
    covers("reduction of a condition");
    return fmt::format("select({}{}, 2, 1)", access(field, site), component.path);
  }
  const char* small = has_16_bits(component.number) ? " % 97" : "";  // sums fit 32 bits
  if (field.history > 1 && reducer != "prod" && random_.chance(60)) {
    covers("reduction of a change");
    const std::string here = list(Offset(rank(), 0));
    note(field, Offset(rank(), 0), site);
    return fmt::format("abs({0}[{1}]{2} - {0}@-1[{1}]{2}){3}", field.name, here, component.path,
                       small);
  }
  if (is_integer(component.number)) {
    covers("reduction of integers");
    const std::string value = access(field, site) + component.path + small;
    return reducer == "prod" ? fmt::format("select({} > 0, 1, -1)", value) : value;
  }
  const std::string value = floating(site, 1);
  if (reducer == "prod") return fmt::format("1 + 0.01 * ({})", value);
  switch (random_.below(3)) {
    case 0:
      return fmt::format("({}) * {}", value, floating_access(site));
    case 1:
      return fmt::format("abs({} - {})", value, floating_access(site));
    default:
      return value;
  }
}

}  // namespace stencil::property
