// Fields: element types, boundaries, domains and history.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/property/generator_parts.h"

namespace stencil::property {

void Generator::make_fields() {
  const int written = random_.between(1, 3);
  for (int f = 0; f < written; ++f) {
    Field field;
    field.name = std::string(1, static_cast<char>('A' + f));
    if (random_.chance(12)) field.element = Element::Integer;
    if (random_.chance(10)) field.element = Element::Vector;
    field.boundary = random_boundary();
    field.inner = !field.boundary.empty() && random_.chance(8);
    if (random_.chance(20)) field.history = random_.between(2, 4);
    fields_.push_back(field);
  }
  if (random_.chance(35)) {
    Field field;
    field.name = "K";
    field.constant = true;
    field.boundary = random_boundary();
    fields_.push_back(field);
    covers("coefficient field");
  }
  for (const Field& field : fields_) {
    if (field.element == Element::Integer) covers("integer field");
    if (field.element == Element::Vector) covers("vector field");
    if (field.history > 1) covers(fmt::format("history {}", field.history));
    if (field.inner) {
      covers("field on a sub-grid");
      for (int& extent : needed_) extent = 3;
    }
    covers(field.boundary.empty()
               ? "no boundary"
               : "boundary " + field.boundary.substr(0, field.boundary.find(' ')));
  }
}

std::string Generator::random_boundary() {
  const int roll = random_.below(100);
  if (roll < 40) return "";
  if (roll < 55) return "clamp";
  if (roll < 70) return random_.chance(50) ? "constant 1" : "constant 0";
  return roll < 85 ? "mirror" : "periodic";
}

std::string Generator::declare(const Field& field) const {
  const char* type = field.element == Element::Real      ? "real"
                     : field.element == Element::Integer ? "integer"
                                                         : "vector 2 of real";
  std::string text = fmt::format("field {} : {} on {}", field.name, type, field.inner ? "H" : "G");
  if (field.history > 1) text += fmt::format(" history {}", field.history);
  if (field.constant) text += " constant";
  if (!field.boundary.empty()) text += " boundary " + field.boundary;
  return text + ";\n";
}

}  // namespace stencil::property
