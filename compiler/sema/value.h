// What an expression denotes during semantic analysis: a tree of scalars, each either known at
// compile time or a node of the graph being built.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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

// A real number that nothing has given a floating type yet: 0.1 * time, sqrt(i). It is made of
// literals and integers only, and is computed in the type of what it meets or is stored in.
struct WeakOperation;
using Weak = std::shared_ptr<const WeakOperation>;

using Scalars = std::variant<Constant, Choice, ir::NodeId, Weak>;
struct Leaf : Scalars {
  using Scalars::Scalars;
  // An integer quotient that this integer is made of, if its fraction may have been lost and no
  // conversion says that this is meant.
  Span quotient = {};
  // Made of the grid's origin or spacing: may be a Constant, but counts as known at run time, as a
  // float param does.
  bool coordinate = false;
  // A conversion by name has given it its type.
  bool meant = false;
};

struct WeakOperation {
  // Convert: the operand, an integer, as a real number.
  // Random: the operand, 64 random bits, as a number in [0, 1) with all bits that the type holds.
  enum class Kind { Operation, Convert, Random };
  Kind kind;
  Op op;  // of Operation
  std::vector<Leaf> operands;
  Span span;
  mutable std::string hint = {};  // the `let` that it is the value of, if any
};

// Without a type: a value in error, already reported; whatever uses it is silently in error too.
// The type's leaves say nothing about scalar types: those are the leaves' own.
struct Value {
  TypePtr type;
  std::vector<Leaf> leaves;  // type->components of them

  bool ok() const { return type != nullptr; }
  static Value of_leaf(Leaf leaf) { return {scalar_type(Scalar::F64), {leaf}}; }
};

// Appends what tells the leaf apart from others: equal leaves append equal numbers.
void append_key(std::vector<int64_t>& key, const Leaf& leaf);

// The literals of a leaf that is one, or a choice of two.
inline std::vector<Constant> literals_of(const Leaf& leaf) {
  if (const auto* choice = std::get_if<Choice>(&leaf)) return {choice->if_true, choice->if_false};
  return {std::get<Constant>(leaf)};
}

// A component of a value; a scalar stands for every component.
inline const Leaf& leaf_of(const Value& value, size_t component) {
  return value.leaves.size() == 1 ? value.leaves[0] : value.leaves[component];
}

}  // namespace stencil::sema
