// Accesses of fields. Each widens its site's margin by its reach, unless a boundary covers it.
#include <fmt/format.h>

#include <algorithm>

#include "tests/property/generator_parts.h"
#include "tests/property/many_dimensions.h"

namespace stencil::property {

void Margin::enclose(const Margin& other) {
  for (size_t d = 0; d < low.size(); ++d) {
    low[d] = std::max(low[d], other.low[d]);
    high[d] = std::max(high[d], other.high[d]);
  }
}

Site::Site(int rank)
    : reach(rank), least(static_cast<size_t>(rank), -4), most(static_cast<size_t>(rank), 4) {}

Offset Generator::random_offset(const Site& site) {
  int radius = random_.chance(choices_.far_offset) ? 4 : random_.chance(50) ? 1 : 2;
  if (rank() > 3) radius = std::min(radius, largest_offset(out_.rank));
  Offset offset(rank(), 0);
  if (random_.chance(60)) {  // a star: along one axis
    offset[random_.below(out_.rank)] = random_.between(-radius, radius);
  } else {
    for (int& o : offset) o = random_.between(-std::min(radius, 2), std::min(radius, 2));
  }
  for (size_t d = 0; d < rank(); ++d) {
    offset[d] = std::clamp(offset[d], site.least[d], site.most[d]);
  }
  return offset;
}

// An offset that may exceed any tile in one dimension; its magnitude has a random number of digits.
void Generator::make_huge(const Field& field, const Site& site, Offset& offset) {
  const auto d = static_cast<size_t>(random_.below(out_.rank));
  const Boundary::Sides& sides = field.boundary.dimensions[d];
  const bool taken = sides.low != "none" && sides.high != "none" && points_needed(sides, 1) == 1 &&
                     points_needed(sides, -1) == 1;
  if (!taken || plain_ || site.least[d] != -4 || site.most[d] != 4) return;
  const int length = random_.between(5, 1 << random_.between(3, 20));
  offset[d] = random_.chance(50) ? length : -length;
  covers("offset beyond 4");
}

void Generator::note(const Field& field, const Offset& offset, Site& site) {
  for (size_t d = 0; d < rank(); ++d) {
    if (offset[d] == 4 || offset[d] == -4) covers("offset 4");
    const Boundary::Sides& sides = field.boundary.dimensions[d];
    // An access towards a linear side may also read the next point in the opposite direction.
    const int inwards = offset[d] < 0 && sides.low == "linear"    ? 1
                        : offset[d] > 0 && sides.high == "linear" ? -1
                                                                  : offset[d];
    if (sides.low == "none") {
      site.reach.low[d] =
          std::max(site.reach.low[d], field.margin.low[d] - std::min(offset[d], inwards));
    }
    if (sides.high == "none") {
      site.reach.high[d] =
          std::max(site.reach.high[d], field.margin.high[d] + std::max(offset[d], inwards));
    }
    needed_[d] = std::max(needed_[d], points_needed(sides, offset[d]));
  }
}

bool Generator::allows(const Site& site, const Offset& offset) {
  for (size_t d = 0; d < offset.size(); ++d) {
    if (offset[d] < site.least[d] || offset[d] > site.most[d]) return false;
  }
  return true;
}

std::string Generator::random_level(const Field& field) {
  const int level = random_.chance(60) ? random_.below(field.history) : 0;
  if (level == 0) return field.name;
  covers(fmt::format("level @-{}", level));
  return fmt::format("{}@-{}", field.name, level);
}

// A read whose offset varies in one or two dimensions; nullopt if the site does not permit it. Only
// integers determine the offset, because they are equal in every floating-point mode.
std::optional<std::string> Generator::varying_access(const Field& field, Site& site) {
  static const std::vector<std::string> kTexts = {
      "time", "m", "{} % 5", "{} - 2", "-{}", "({} & 3) - 1", "long({}) * 3"};
  Offset low = random_offset(site), high = low;
  std::vector<std::string> texts;
  for (const int offset : low) texts.push_back(fmt::format("{}", offset));
  for (int count = random_.between(1, 2); count > 0; --count) {
    const auto d = static_cast<size_t>(random_.below(out_.rank));
    const int bound = rank() > 3 ? 1 : random_.between(0, 3);
    low[d] = -bound;
    high[d] = bound;
    std::string by = random_.pick(kTexts);
    if (const size_t hole = by.find("{}"); hole != std::string::npos) {
      const std::string read = random_.chance(60) ? access(is_integer, site) : index_name(site);
      by.replace(hole, 2, read.empty() ? "time" : read);
    }
    texts[d] = fmt::format("{} within {}", by, bound);
  }
  if (!allows(site, low) || !allows(site, high)) return std::nullopt;
  note(field, low, site);
  note(field, high, site);
  covers("offset within a bound");
  return fmt::format("{}[{}]", random_level(field), list(texts));
}

// A whole element with its components.
std::string Generator::access(const Field& field, Site& site) {
  if (!exact_ && !plain_ && random_.chance(choices_.varying_offset)) {
    if (const auto read = varying_access(field, site)) return *read;
  }
  Offset offset = random_offset(site);
  if (random_.chance(choices_.huge_offset)) make_huge(field, site, offset);
  note(field, offset, site);
  return fmt::format("{}[{}]", random_level(field), list(offset));
}

// A component of the given kind.
std::optional<Generator::Operand> Generator::random_operand(Kind kind) {
  std::vector<std::vector<Operand>> choices;  // per field
  for (const Field& field : fields_) {
    std::vector<Operand> fitting;
    for (const Component& component : components_of(field.type)) {
      if (kind(component.number)) fitting.push_back({&field, component});
    }
    if (!fitting.empty()) choices.push_back(fitting);
  }
  if (choices.empty()) return std::nullopt;
  return random_.pick(random_.pick(choices));
}

std::string Generator::access(Kind kind, Site& site) {
  const auto operand = random_operand(kind);
  if (!operand) return "";
  const std::string read = access(*operand->field, site) + operand->component.path;
  return has_16_bits(operand->component.number) ? fmt::format("({} % 997)", read) : read;
}

Offset Generator::axis_offset(size_t axis, int offset) const {
  Offset all(rank(), 0);
  all[axis] = offset;
  return all;
}

std::string Generator::axis_text(size_t axis, const std::string& offset) const {
  std::vector<std::string> all(rank(), "0");
  all[axis] = offset;
  return list(all);
}

}  // namespace stencil::property
