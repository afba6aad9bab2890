// Operations on values: checks shapes and types, inserts conversions, and adds the resulting nodes
// to the graph.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/sema/fold.h"
#include "compiler/sema/report.h"
#include "compiler/sema/value.h"

namespace stencil::sema {

class Arithmetic {
 public:
  // `real`: the type that the word `real` means. `fallback`: the type of a real number if its
  // context determines no floating-point type.
  Arithmetic(ir::Graph& graph, Scalar real, Scalar fallback, Report& report)
      : graph_(graph), real_(real), fallback_(fallback), report_(report) {}

  // From now on, operations on constants always give constants, and reals are computed in double.
  // Other real numbers immediately take the type `fallback` and do not wait for a type from the
  // context.
  void fold_completely() {
    fold_ = sema::fold_completely;
    waits_for_type_ = false;
  }

  Scalar fallback() const { return fallback_; }
  // Returns the previous type.
  Scalar set_fallback(Scalar type) { return std::exchange(fallback_, type); }

  // Applies `op` to scalars, or to each component of vectors and structures of equal shape. A
  // scalar operand is used for every component. After a reported error (S013, S018, S019), the
  // result is not ok().
  // `place`: the operator, where errors in operands are reported; by default `span`.
  Value apply(Op op, const std::vector<Value>& operands, Span span, Span place = {});

  // Converts each component of the value to a type. If the value has no type, it is computed in the
  // given type.
  Value convert(const Value& value, Scalar to, Span span);
  // Explicit conversions such as integer(x) and float(x). `by_real` is set for real(x). The user
  // asks for this type, so explicit conversions suppress warnings. real(x) does not suppress them,
  // because its type depends on --real.
  Value convert_by_name(const Value& value, Scalar to, Span span, bool by_real);

  // Converts an integer to a real number that takes its type from the context.
  Leaf as_real(const Leaf& integer, Span span);
  // Converts random bits (a long) to a real number in [0, 1).
  Leaf as_fraction(const Leaf& bits, Span span);
  // The sum of the weights of a set of points at the current point, computed in the type of the
  // context.
  Leaf as_weights(ir::FieldId set, Span span);
  // Names the value after a let, so that the output is readable.
  void call(const Leaf& leaf, const std::string& hint);

  // The components of `value` as stored in `target`, one node for each component. A scalar fills
  // every component. Returns nullopt after an error (S012, S018, S019, S020).
  // Warns of lost precision (S102), of float arithmetic done in double before the result becomes
  // float (S103), of integer quotients that become real (S104), and of values rounded to float
  // before they become double (S107).
  std::optional<std::vector<ir::NodeId>> store(const Value& value, const Type& target, Span span);

  // Like store(), but at compile time. S010 if the value of a component is unknown.
  std::optional<std::vector<Constant>> store_constants(const Value& value, const Type& target,
                                                       Span span);

  // Returns a node of type Bool. S039 if the value is not a condition.
  std::optional<ir::NodeId> condition(const Value& value, Span span);

  // The type of a scalar. nullopt for a literal, a choice of literals or a weak value, which have
  // no type.
  std::optional<Scalar> type_of(const Leaf& leaf) const;
  // The type that a scalar takes without a context: `fallback`, except that integers keep their
  // type.
  Scalar natural_type(const Leaf& leaf) const { return common_type({leaf}); }
  std::string describe_leaf(const Leaf& leaf) const;  // the type of the leaf, for messages

 private:
  TypePtr common_shape(Op op, const std::vector<Value>& operands, Span span);
  std::optional<Leaf> apply_scalar(Op op, const std::vector<Leaf>& operands, Span span,
                                   Span place = {});
  std::optional<Leaf> compute_scalar(Op op, const std::vector<Leaf>& operands, Span span);
  Span quotient_in(const Leaf& result, Op op, const std::vector<Leaf>& operands, Span span) const;
  void warn_of_quotient(const Leaf& integer, Scalar to);
  Leaf weak(WeakOperation operation);
  std::optional<ir::NodeId> node(const Weak& weak, Scalar to, Span span);
  bool fits_quietly(const Leaf& operand, Scalar type) const;
  bool is_integral(const Leaf& leaf) const;
  std::optional<Leaf> choose(Op op, const std::vector<Leaf>& operands) const;
  ir::NodeId select(ir::NodeId condition, ir::NodeId if_true, ir::NodeId if_false, Span span);
  bool admissible(Op op, const std::vector<Leaf>& operands, Span span);
  Scalar common_type(const std::vector<Leaf>& operands) const;
  std::optional<Leaf> convert_scalar(const Leaf& leaf, Scalar to, Span span);
  std::optional<ir::NodeId> narrow(const Leaf& leaf, Scalar target, Span span);
  std::optional<ir::NodeId> store_scalar(const Leaf& leaf, Scalar target, Span span);
  bool storable(const Leaf& leaf, Scalar target, Span span);
  void note_promotion(ir::NodeId result, const std::vector<Leaf>& operands, Span span);
  void warn_of_promotions(ir::NodeId stored);
  void warn_of_narrow_parts(ir::NodeId stored);
  void warn_if_narrow(ir::NodeId value);
  std::string text_in_double(ir::NodeId value) const;
  // `written`: the text that keeps the precision, if it is known.
  void warn_of_float(Span span, const char* found, const std::string& written = "");
  // Whether the floating-point `type` can hold `number`. S012 if the number would become an
  // infinity. Warns (S106) if the number would become 0.
  bool in_range(double number, Scalar type, Span span);
  bool in_range(const Constant& constant, Scalar type, Span span);
  // Converts `value` to `to` (not a storage type), rounding once. S012, S020, S106.
  std::optional<Constant> typed(const Constant& value, Scalar to, Span span);
  // A node whose type is exactly `to`.
  std::optional<ir::NodeId> node(const Leaf& leaf, Scalar to, Span span);

  ir::Graph& graph_;
  Scalar real_;
  Scalar fallback_;
  bool waits_for_type_ = true;
  Report& report_;
  Folded (*fold_)(Op, const std::vector<Constant>&) = fold;

  // Operations with a float and a double operand. An operation is excluded if its double operand
  // results from another such operation, because the warning belongs to the first operation.
  std::map<ir::NodeId, Span> promotions_;
  std::set<ir::NodeId> promoted_;  // nodes that are double because of an operation in promotions_
  // Nodes that warn_of_promotions has visited for a float target.
  std::set<ir::NodeId> seen_in_a_float_;

  std::set<ir::NodeId> meant_;  // nodes that result from explicit conversions
  // Nodes that warn_of_narrow_parts has visited for a double target.
  std::set<ir::NodeId> seen_in_a_double_;

  // The weak values, without duplicates, and the nodes that represent each of them, by type.
  std::map<std::vector<int64_t>, Weak> weak_values_;
  std::map<std::pair<Weak, Scalar>, ir::NodeId> weak_nodes_;
};

}  // namespace stencil::sema
