// Values of expressions, in floating point and in integers.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/property/generator_parts.h"

namespace stencil::property {

std::string Generator::real_value(Reach& reach) {
  const int terms = random_.between(1, 5);
  std::string sum = real_term(reach, 0);
  for (int t = 1; t < terms; ++t) {
    sum += random_.chance(70) ? " + " : " - ";
    sum += real_term(reach, 0);
  }
  switch (random_.below(4)) {
    case 0:
      covers("division by a constant");
      return fmt::format("({}) / {}", sum, divisor(terms));
    case 1:
      return fmt::format("{:.3f} * ({})", 0.9 / terms, sum);
    case 2:
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

std::string Generator::real_term(Reach& reach, int depth) {
  const int roll = depth > 2 ? random_.below(40) : random_.below(100);
  if (roll < 30) return real_access(reach);
  if (roll < 40) return fmt::format("{:.3f} * {}", random_.unit(), real_access(reach));
  if (roll < 46) return fmt::format("alpha * {}", real_access(reach));
  if (roll < 52) {
    return fmt::format("({} * {})", real_term(reach, depth + 1), real_term(reach, depth + 1));
  }
  if (roll < 57) {
    return fmt::format("({} - {})", real_term(reach, depth + 1), real_term(reach, depth + 1));
  }
  if (roll < 62) {
    covers("select");
    return fmt::format("select({} < {}, {}, {})", real_access(reach), real_access(reach),
                       real_term(reach, depth + 1), real_term(reach, depth + 1));
  }
  if (roll < 66) return fmt::format("sqrt(abs({}))", real_term(reach, depth + 1));
  if (roll < 70) {
    return fmt::format("{} / (2 + abs({}))", real_term(reach, depth + 1), real_access(reach));
  }
  if (roll < 74) {
    return fmt::format("fma({}, 0.5, {})", real_access(reach), real_term(reach, depth + 1));
  }
  if (roll < 78) return fmt::format("-{}", real_access(reach));
  if (roll < 82) return fmt::format("floor(4 * {}) / 4", real_access(reach));
  if (roll < 86 && allow_index_) return fmt::format("0.01 * {}", index_name());
  if (roll < 89) {
    covers("time");
    return "0.015625 * time";
  }
  if (roll < 93) return comprehension(reach);
  if (roll < 97 && allow_lets_ && lets_.size() < 3 && depth == 0) {
    const std::string name = fmt::format("v{}", lets_.size());
    const bool index_allowed = std::exchange(allow_index_, false);  // lets belong to no one piece
    const std::string value = real_term(reach, depth + 1);
    allow_index_ = index_allowed;
    lets_.push_back(fmt::format("let {} = {};", name, value));
    return fmt::format("({} - {} * {})", name, name, real_access(reach));
  }
  return lap_radius_ ? lap(reach) : real_access(reach);
}

std::string Generator::index_name() {
  const int d = random_.below(rank());
  uses_index_.insert(d);
  return fmt::format("i{}", d);
}

std::string Generator::comprehension(Reach& reach) {
  covers("comprehension");
  const Field* field = real_field();
  if (!field) return "0.5";
  const int axis = random_.below(rank());
  const int radius = random_.between(1, 2);
  std::vector<int> offset(static_cast<size_t>(rank()), 0);
  for (int o : {-radius, radius}) {
    offset[static_cast<size_t>(axis)] = o;
    note(*field, offset, reach);
  }
  std::vector<std::string> index(static_cast<size_t>(rank()), "0");
  index[static_cast<size_t>(axis)] = "q";
  return fmt::format("sum(q in -{}..{} : {}[{}]{}) / {}", radius, radius, field->name,
                     fmt::join(index, ","), field->element == Element::Vector ? "[1]" : "",
                     2 * radius + 1);
}

std::string Generator::lap(Reach& reach) {
  const Field* field = nullptr;
  for (const Field& f : fields_) {
    if (f.element == Element::Real) field = &f;
  }
  if (!field) return "0.25";
  covers("function at an offset");
  std::vector<int> shift = random_offset();
  for (int& o : shift) o = std::clamp(o, -1, 1);
  for (int o : {-lap_radius_, lap_radius_}) {
    std::vector<int> offset = shift;
    offset[static_cast<size_t>(lap_axis_)] += o;
    note(*field, offset, reach);
  }
  note(*field, shift, reach);
  return fmt::format("0.25 * lap({})[{}]", field->name, fmt::join(shift, ","));
}

const Field* Generator::real_field() {
  std::vector<const Field*> usable;
  for (const Field& field : fields_) {
    if (field.element != Element::Integer) usable.push_back(&field);
  }
  return usable.empty() ? nullptr : random_.pick(usable);
}

std::vector<int> Generator::random_offset() {
  const int radius = random_.chance(12) ? 4 : random_.chance(50) ? 1 : 2;
  std::vector<int> offset(static_cast<size_t>(rank()), 0);
  if (random_.chance(60)) {  // a star: along one axis
    offset[static_cast<size_t>(random_.below(rank()))] = random_.between(-radius, radius);
  } else {
    for (int& o : offset) o = random_.between(-std::min(radius, 2), std::min(radius, 2));
  }
  return offset;
}

void Generator::note(const Field& field, const std::vector<int>& offset, Reach& reach) {
  for (size_t d = 0; d < offset.size(); ++d) {
    if (offset[d] == 4 || offset[d] == -4) covers("offset 4");
    if (!field.boundary.empty()) continue;
    reach.low[d] = std::max(reach.low[d], -offset[d]);
    reach.high[d] = std::max(reach.high[d], offset[d]);
  }
}

std::string Generator::access(const Field& field, Reach& reach) {
  const std::vector<int> offset = random_offset();
  note(field, offset, reach);
  const int level = random_.chance(60) ? random_.below(field.history) : 0;
  return fmt::format("{}{}[{}]", field.name, level > 0 ? fmt::format("@-{}", level) : "",
                     fmt::join(offset, ","));
}

std::string Generator::real_access(Reach& reach) {
  const Field& field = random_.pick(fields_);
  const std::string text = access(field, reach);
  if (field.element == Element::Vector) return text + (random_.chance(50) ? "[0]" : "[1]");
  if (field.element == Element::Integer) return fmt::format("0.0625 * {}", text);
  return text;
}

std::string Generator::integer_value(Reach& reach) {
  std::string sum = integer_term(reach);
  const int terms = random_.between(1, 3);
  for (int t = 1; t < terms; ++t) sum += (random_.chance(60) ? " + " : " - ") + integer_term(reach);
  return fmt::format("({}) % 97", sum);
}

std::string Generator::integer_term(Reach& reach) {
  std::vector<const Field*> integers;
  for (const Field& field : fields_) {
    if (field.element == Element::Integer) integers.push_back(&field);
  }
  const std::string a = access(*random_.pick(integers), reach);
  const std::string b = access(*random_.pick(integers), reach);
  switch (random_.below(9)) {
    case 0:
      return fmt::format("({} & {})", a, b);
    case 1:
      return fmt::format("({} ^ {})", a, b);
    case 2:
      return fmt::format("({} | 3)", a);
    case 3:
      return fmt::format("({} / 3)", a);
    case 4:
      return fmt::format("({} % ({} + 1))", a, b);  // may divide by zero: gives 0
    case 5:
      return fmt::format("select({} == {}, 1, {})", a, b, a);
    case 6:
      return fmt::format("({} << 1)", a);
    case 7:
      return fmt::format("({} >> 1)", a);
    default:
      return fmt::format("{} * 2", a);
  }
}

}  // namespace stencil::property
