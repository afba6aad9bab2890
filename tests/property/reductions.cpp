// Reductions and the stop condition.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/property/generator_parts.h"

namespace stencil::property {

// One or two reductions of values around 1 per point, and possibly a stop
// condition that some of the runs meet.
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
    const std::vector<int> kept = random_profile();
    const std::string points = reduced_region(site, kept);
    out += fmt::format("reduce r{} = {}({}){} on {}{}", r, reducer, value, over(kept), points,
                       condition);
    if (every > 1 || random_.chance(50)) out += fmt::format(" every {}", every);
    if (!kept.empty() && random_.chance(30)) out += profile_rule();
    out += ";\n";
    covers(every == 1 ? "reduction every step" : "reduction every k steps");
    if (!kept.empty()) continue;  // conditions cannot name profiles
    const std::string threshold = fmt::format("{:.3f}", 2 * random_.unit() - 0.5);
    conditions.push_back(fmt::format("r{} {} {}", r, random_.chance(50) ? "<" : ">", threshold));
    if (random_.chance(25)) conditions.back() = fmt::format("not ({})", conditions.back());
  }
  if (conditions.empty() || !random_.chance(choices_.stop)) return out;
  covers("stop");
  std::string condition =
      fmt::format("{}", fmt::join(conditions, random_.chance(50) ? " and " : " or "));
  if (random_.chance(30)) condition = fmt::format("({}) and time >= 2", condition);
  return out + fmt::format("stop when {};\n", condition);
}

// --- Reductions over some dimensions

std::vector<int> Generator::random_profile() {
  std::vector<int> kept;
  if (rank() == 1 || tiny_ || !random_.chance(choices_.over)) return kept;
  const int reduced = random_.below(out_.rank);
  for (int d = 0; d < out_.rank; ++d) {
    if (d != reduced && random_.chance(60)) kept.push_back(d);
  }
  if (kept.empty()) kept.push_back((reduced + 1) % out_.rank);
  return kept;
}

// A profile must have points, so the region must have points in each dimension that is kept.
std::string Generator::reduced_region(const Site& site, const std::vector<int>& kept) {
  if (site.names.empty() && random_.chance(15)) return named_region(site.reach);
  std::vector<std::string> fixed(kept.empty() ? 0 : rank());
  for (const int dimension : kept) {
    const auto d = static_cast<size_t>(dimension);
    const int low = site.reach.low[d] + random_.between(0, 2);
    const int high = site.reach.high[d] + random_.between(0, 2);
    needed_[d] = std::max(needed_[d], low + high + 1);
    fixed[d] = range(d, low, high);
  }
  return fmt::format("[{}]", region(site, fixed));
}

std::string Generator::over(const std::vector<int>& kept) {
  if (kept.empty()) return "";
  std::vector<int> reduced;
  for (int d = 0; d < out_.rank; ++d) {
    if (std::find(kept.begin(), kept.end(), d) == kept.end()) reduced.push_back(d);
  }
  covers(reduced.back() + 1 == out_.rank ? "reduction over rows" : "reduction across rows");
  if (reduced.size() == 1 && random_.chance(50)) return fmt::format(" over {}", reduced[0]);
  return fmt::format(" over [{}]", fmt::join(reduced, ", "));
}

std::string Generator::profile_rule() {
  return " boundary " + random_.pick<std::string>({"clamp", "mirror", "periodic", "constant 1"});
}

// --- Reductions that the step may read

void Generator::choose_statistics(int functions) {
  if (exact_ || !random_.chance(choices_.statistics)) return;
  const int count = random_.between(1, 3);
  for (int s = 0; s < count; ++s) {
    int place = random_.between(0, functions);
    if (repeat_.is_inside(place)) place = random_.chance(50) ? repeat_.first : repeat_.last + 1;
    statistics_.push_back({fmt::format("total{}", s), place, random_profile()});
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
    const std::string points = reduced_region(site, statistic.kept);
    const std::string initial = random_.pick<std::string>({"0", "1", "m", "2 + m"});
    const bool profile = !statistic.kept.empty();
    out += fmt::format("reduce {} = {}({}){} on {}{}{};\n", statistic.name, reducer, value,
                       over(statistic.kept), points, condition,
                       profile ? profile_rule() : " initial " + initial);
    if (profile && random_.chance(60)) {
      covers("init of a reduction");
      out += fmt::format("init {} = integer({});\n", statistic.name, initial);
    }
    statistic.made = true;
  }
  return out;
}

// Reads a reduction declared above, or the previous value of any reduction. A reduction does not
// read those declared below it, because types would depend on themselves.
std::string Generator::statistic_read(Site& site) {
  if (statistics_.empty()) return "";
  const Statistic& read = random_.pick(statistics_);
  if (!read.made && in_statistic_) return "";
  const bool before = !read.made || random_.chance(35);
  covers(!before     ? "reduction of this step"
         : read.made ? "reduction of the step before, below it"
                     : "reduction of the step before");
  std::string at;
  for (const int d : read.kept) {
    const auto i = static_cast<size_t>(d);
    const int offset = std::clamp(random_.between(-2, 2), site.least[i], site.most[i]);
    at += fmt::format("{}{}", at.empty() ? "" : ", ", offset);
  }
  if (!at.empty()) {
    covers(before ? "profile of the step before" : "profile of this step");
    at = "[" + at + "]";
  }
  return read.name + (before ? "@-1" : "") + at;
}

std::string Generator::reduced_value(const std::string& reducer, Site& site) {
  const Field& field = random_.pick(fields_);
  if (exact_) return access(field, site);
  const Component component = random_.pick(components_of(field.type));
  if (is_condition(component.number)) {
    covers("reduction of a condition");
    return fmt::format("select({}{}, 2, 1)", access(field, site), component.path);
  }
  const char* small = has_16_bits(component.number) ? " % 97" : "";  // so that sums fit 32 bits
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
