// Comprehensions, whose names are used in offsets and table indices.
#include <fmt/format.h>

#include <algorithm>

#include "tests/property/generator_parts.h"

namespace stencil::property {

// A sum over neighbours along one axis.
std::string Generator::comprehension(Site& site) {
  const auto operand = random_operand(is_floating);
  if (!operand) return "";
  const size_t axis = static_cast<size_t>(random_.below(out_.rank));
  const int radius = random_.between(1, 2);
  const int first = std::max(-radius, site.least[axis]), last = std::min(radius, site.most[axis]);
  note(*operand->field, axis_offset(axis, first), site);
  note(*operand->field, axis_offset(axis, last), site);
  const std::string read = fmt::format("{}[{}]{}", random_level(*operand->field),
                                       axis_text(axis, "q"), operand->component.path);
  const std::string over = fmt::format("q in {}..{}", first, last);
  switch (random_.below(5)) {
    case 0:
      covers("comprehension min, max");
      return fmt::format("{}({} : {})", random_.chance(50) ? "min" : "max", over, read);
    case 1:
      covers("comprehension prod");
      return fmt::format("prod({} : 1 + 0.125 * {})", over, read);
    default:
      covers("comprehension sum");
      return fmt::format("sum({} : {}) / {}", over, read, last - first + 1);
  }
}

// The second range depends on the first name. In one of two forms it is empty for p = 1.
std::string Generator::nested_comprehension(Site& site) {
  const auto operand = random_operand(is_floating);
  if (!operand) return "";
  const size_t a = static_cast<size_t>(random_.below(out_.rank));
  const size_t b = static_cast<size_t>(random_.below(out_.rank));
  std::vector<std::string> index(rank(), "0");
  index[a] = "p";
  index[b] = a == b ? "p+q" : "q";
  Offset farthest(rank(), 0);
  ++farthest[a];
  ++farthest[b];
  if (!allows(site, farthest)) return "";
  note(*operand->field, Offset(rank(), 0), site);
  note(*operand->field, farthest, site);
  covers("comprehension of two names");
  const bool empty = random_.chance(50);
  if (empty) covers("comprehension over nothing");
  return fmt::format("0.4 * sum(p in 0..1, q in {} : {}[{}]{} * (p + 1))", empty ? "p..0" : "p..1",
                     operand->field->name, list(index), operand->component.path);
}

// Weights or offsets from a table.
std::string Generator::table_sum(Site& site) {
  const auto operand = random_operand(is_floating);
  if (!has_tables_ || !operand) return "";
  const Field& field = *operand->field;
  const std::string& path = operand->component.path;
  const size_t axis = static_cast<size_t>(random_.below(out_.rank));
  const size_t other = (axis + 1) % rank();
  const Offset below = axis_offset(axis, -1);
  Offset above = axis_offset(axis, 1);
  const int kind = random_.below(3);
  if (kind == 1) above[axis] = 2;
  if (kind == 2) ++above[other];
  if (!allows(site, below) || !allows(site, above)) return "";
  note(field, below, site);
  note(field, above, site);
  covers("table");
  if (kind == 0) {
    return fmt::format("sum(q in -1..1 : w[q+1] * {}[{}]{})", field.name, axis_text(axis, "q"),
                       path);
  }
  if (kind == 1) {
    covers("offset from a table");
    return fmt::format("0.3 * sum(q in 0..3 : {}[{}]{})", field.name, axis_text(axis, "c[q]"),
                       path);
  }
  std::vector<std::string> index(rank(), "0");
  index[axis] = "q";
  index[other] = other == axis ? "p+q" : "p";
  return fmt::format("sum(p in 0..1, q in -1..1 : w2[p, q+1] * {}[{}]{})", field.name, list(index),
                     path);
}

}  // namespace stencil::property
