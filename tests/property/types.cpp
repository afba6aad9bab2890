// Types have few components. Each costs registers and compile time, and two test as much as twenty.
#include "tests/property/types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stencil::property {

const char* name(Number number) {
  static const char* const kNames[] = {"real", "float", "double", "half",  "bfloat", "integer",
                                       "long", "byte",  "ubyte",  "short", "ushort", "bool"};
  return kNames[static_cast<int>(number)];
}

bool Type::is_vector() const {
  return !members.empty() && members[0].path[0] == '[';
}

std::vector<Component> components_of(const Type& type) {
  if (type.is_scalar()) return {{"", type.number}};
  std::vector<Component> all;
  for (const Type::Member& member : type.members) {
    for (const Component& inner : components_of(member.type)) {
      all.push_back({member.path + inner.path, inner.number});
    }
  }
  return all;
}

bool all_numbers(const Type& type) {
  const std::vector<Component> components = components_of(type);
  return std::none_of(components.begin(), components.end(),
                      [](const Component& component) { return is_condition(component.number); });
}

bool all_floating(const Type& type) {
  const auto components = components_of(type);
  return std::all_of(components.begin(), components.end(),
                     [](const Component& c) { return is_floating(c.number); });
}

namespace {

Type scalar_of(Number number) {
  return {name(number), number, {}};
}

Type vector_of(const Type& element, int length) {
  Type type{fmt::format("vector {} of {}", length, element.text), Number::Real, {}};
  for (int i = 0; i < length; ++i) type.members.push_back({fmt::format("[{}]", i), element});
  return type;
}

Type random_scalar(Random& random, const Choices& choices) {
  return scalar_of(static_cast<Number>(random.weighted(choices.numbers)));
}

Type structure_of(const std::vector<Type>& types) {
  static const char* const kNames[] = {"a", "b", "c"};
  Type type;
  std::vector<std::string> texts;
  for (size_t m = 0; m < types.size(); ++m) {
    type.members.push_back({std::string(".") + kNames[m], types[m]});
    texts.push_back(fmt::format("{} : {}", kNames[m], types[m].text));
  }
  type.text = fmt::format("{{ {} }}", fmt::join(texts, ", "));
  return type;
}

}  // namespace

Type random_type(Random& random, const Choices& choices) {
  const int roll = random.below(100);
  if (roll < choices.vector) {
    const Type element =
        random.chance(85) ? random_scalar(random, choices)
                          : structure_of({random_scalar(random, choices), scalar_of(Number::Real)});
    return vector_of(element, element.is_scalar() ? random.between(1, 3) : 2);
  }
  if (roll < choices.vector + choices.structure) {
    std::vector<Type> members = {random_scalar(random, choices)};
    switch (random.below(4)) {
      case 0:
        members.push_back(vector_of(random_scalar(random, choices), 2));
        break;
      case 1:
        members.push_back(
            structure_of({random_scalar(random, choices), random_scalar(random, choices)}));
        break;
      default:
        members.push_back(random_scalar(random, choices));
    }
    return structure_of(members);
  }
  return random_scalar(random, choices);
}

}  // namespace stencil::property
