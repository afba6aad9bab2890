// Element types of fields.
#pragma once

#include <string>
#include <vector>

#include "tests/property/choices.h"
#include "tests/property/random.h"

namespace stencil::property {

enum class Number {
  Real,
  Float,
  Double,
  Half,
  Bfloat,
  Integer,
  Long,
  Byte,
  Ubyte,
  Short,
  Ushort,
  Bool
};

const char* name(Number number);  // as the language spells it
inline bool is_floating(Number number) {
  return number < Number::Integer;
}
inline bool is_condition(Number number) {
  return number == Number::Bool;
}
inline bool is_integer(Number number) {
  return !is_floating(number) && !is_condition(number);
}
inline bool is_small(Number number) {  // integers that wrap around when stored
  return is_integer(number) && number >= Number::Byte;
}
inline bool has_16_bits(Number number) {
  return number == Number::Short || number == Number::Ushort;
}

// A scalar if it has no members, otherwise a vector or a structure.
struct Type {
  struct Member;
  std::string text;              // as a declaration spells it
  Number number = Number::Real;  // of a scalar
  std::vector<Member> members;
  bool is_scalar() const { return members.empty(); }
  bool is_vector() const;
};
struct Type::Member {
  std::string path;  // selects it: "[0]" of a vector, ".a" of a structure
  Type type;
};

// The scalars of a type, each with its path: "[1]", ".u[0]".
struct Component {
  std::string path;
  Number number;
};
std::vector<Component> components_of(const Type& type);

bool all_floating(const Type& type);
bool all_numbers(const Type& type);  // no bools

Type random_type(Random& random, const Choices& choices);

}  // namespace stencil::property
