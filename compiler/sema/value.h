// The value of an expression during semantic analysis: a tree of scalars. Each scalar is known at
// compile time, or is a node of the graph under construction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/sema/types.h"

namespace stencil::sema {

// A scalar known at compile time. A constant without a type is a literal or is computed from
// literals only, and takes the type that its context needs. Until then the constant has two tracks.
// `integer` is exact, and its division truncates. `real` is computed in double. A real literal has
// no integer track. For example, 1/2 is 0 where an integer is needed and 0.5 where a real number is
// needed.
struct Constant {
  std::optional<Scalar> type;      // never a storage type
  std::optional<int64_t> integer;  // always present for Bool, I32 and I64, absent for floats
  double real = 0;
  // The constant is computed from integer literals only, but the integer track exceeds 64 bits.
  bool overflowed = false;

  static Constant of_integer(int64_t value) { return {std::nullopt, value, double(value)}; }
  static Constant of_bool(bool value) { return {Scalar::Bool, value ? 1 : 0, double(value)}; }
  static Constant of_typed(Scalar type, int64_t value) { return {type, value, double(value)}; }
};

// select(condition, a, b) of two literals. A choice is not a literal but, like a literal, has no
// type and takes the type that its context needs. select(i == 0, 1/2, 0) is 0.5 or 0 in a float,
// and always 0 in an integer.
struct Choice {
  ir::NodeId condition;
  Constant if_true, if_false;
};

// A real number without a floating-point type, such as 0.1 * time or sqrt(i). It consists of
// literals, integers and weights of points only. It is computed in the type of the operand with
// which it is combined, or in the type of the place where it is stored.
struct WeakOperation;
using Weak = std::shared_ptr<const WeakOperation>;

using Scalars = std::variant<Constant, Choice, ir::NodeId, Weak>;
struct Leaf : Scalars {
  using Scalars::Scalars;
  // An integer quotient from which this integer was computed. Set if the fraction of the quotient
  // may have been lost and no explicit conversion shows that this is intended.
  Span quotient = {};
  // The value is computed from the origin or spacing of the grid. It may be a Constant but is
  // treated as known only at run time, like a float param.
  bool coordinate = false;
  // An explicit conversion gave the type.
  bool meant = false;
};

struct WeakOperation {
  // Convert: the operand is an integer that is converted to a real number.
  // Random: the operand is 64 random bits, converted to a number in [0, 1) with the precision of
  // the type.
  // Weights: the sum of the weights of a set of points at the current point; there are no operands.
  enum class Kind { Operation, Convert, Random, Weights };
  Kind kind;
  Op op;  // for Operation only
  std::vector<Leaf> operands;
  Span span;
  mutable std::string hint = {};  // name of the `let` with this value, if any
  ir::FieldId set = 0;            // for Weights only
};

// A value without a type results from an error that has been reported. Operations on it fail
// without a further message. The scalar types at the leaves of `type` are meaningless, because each
// leaf has its own type.
struct Value {
  TypePtr type;
  std::vector<Leaf> leaves;  // number of leaves: type->components

  bool ok() const { return type != nullptr; }
  static Value of_leaf(Leaf leaf) { return {scalar_type(Scalar::F64), {leaf}}; }
};

// Appends a key that identifies the leaf: equal leaves append equal numbers.
void append_key(std::vector<int64_t>& key, const Leaf& leaf);

// The literals of a leaf that is a literal or a choice of two.
inline std::vector<Constant> literals_of(const Leaf& leaf) {
  if (const auto* choice = std::get_if<Choice>(&leaf)) return {choice->if_true, choice->if_false};
  return {std::get<Constant>(leaf)};
}

// A component of a value; a scalar has the same value for every component.
inline const Leaf& leaf_of(const Value& value, size_t component) {
  return value.leaves.size() == 1 ? value.leaves[0] : value.leaves[component];
}

}  // namespace stencil::sema
