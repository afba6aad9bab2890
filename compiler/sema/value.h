// What an expression denotes during semantic analysis: a tree of scalars, each either known at
// compile time or a node of the graph being built.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "compiler/sema/types.h"

namespace stencil::sema {

// A scalar known at compile time. Without a type it is a literal, or made of literals only, and
// takes the type that the expression around it needs. Until then it lives in two tracks: `integer`,
// exact, where division truncates, and `real`, in double; a real literal has no integer track. So
// 1/2 is 0 where an integer is needed and 0.5 where a real is.
struct Constant {
  std::optional<Scalar> type;      // never a storage type
  std::optional<int64_t> integer;  // always present for Bool, I32 and I64, absent for floats
  double real = 0;

  static Constant of_integer(int64_t value) { return {std::nullopt, value, double(value)}; }
  static Constant of_bool(bool value) { return {Scalar::Bool, value ? 1 : 0, double(value)}; }
  static Constant of_typed(Scalar type, int64_t value) { return {type, value, double(value)}; }
};

// select(condition, a, b) of two literals: no literal itself, but as much without a type. It takes
// the type it is needed in, as they do: select(i == 0, 1/2, 0) is 0.5 or 0 in a float, 0 in an
// integer.
struct Choice {
  ir::NodeId condition;
  Constant if_true, if_false;
};

using Scalars = std::variant<Constant, Choice, ir::NodeId>;
struct Leaf : Scalars {
  using Scalars::Scalars;
  // An integer quotient that this integer is made of, if its fraction may have been lost and no
  // conversion says that this is meant.
  Span quotient = {};
  // Made of the grid's origin or spacing: may be a Constant, but counts as known at run time, as a
  // float param does.
  bool coordinate = false;
};

// Without a type: a value in error, already reported; whatever uses it is silently in error too.
// The type's leaves say nothing about scalar types: those are the leaves' own.
struct Value {
  TypePtr type;
  std::vector<Leaf> leaves;  // type->components of them

  bool ok() const { return type != nullptr; }
  static Value of_leaf(Leaf leaf) { return {scalar_type(Scalar::F64), {leaf}}; }
};

// The literals of a leaf without a type: one, or the two of a choice.
inline std::vector<Constant> literals_of(const Leaf& leaf) {
  if (const auto* choice = std::get_if<Choice>(&leaf)) return {choice->if_true, choice->if_false};
  return {std::get<Constant>(leaf)};
}

// A component of a value; a scalar stands for every component.
inline const Leaf& leaf_of(const Value& value, size_t component) {
  return value.leaves.size() == 1 ? value.leaves[0] : value.leaves[component];
}

}  // namespace stencil::sema
