// Operations on values: shapes, types, conversions, and the graph nodes that result.
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
  // `real`: the type that `real` means. `fallback`: the floating type of a real number that nothing
  // gives one.
  Arithmetic(ir::Graph& graph, Scalar real, Scalar fallback, Report& report)
      : graph_(graph), real_(real), fallback_(fallback), report_(report) {}

  // From here on constants give constants: reals are computed in double. What is no constant has
  // the type `fallback` at once.
  void fold_completely() {
    fold_ = sema::fold_completely;
    waits_for_type_ = false;
  }

  Scalar fallback() const { return fallback_; }
  // Returns the previous type.
  Scalar set_fallback(Scalar type) { return std::exchange(fallback_, type); }

  // `op` on scalars, or componentwise on vectors and structures of one shape, a scalar operand
  // being repeated. In error (S013, S018, S019): reported, and a value that is not ok().
  Value apply(Op op, const std::vector<Value>& operands, Span span);

  // The value in that type, componentwise: what has no type yet is computed in it.
  Value convert(const Value& value, Scalar to, Span span);
  // The conversions written integer(x), float(x), `by_real`: real(x). They say that the type is
  // meant, which real(x) does not: what that is depends on how the program is compiled.
  Value convert_by_name(const Value& value, Scalar to, Span span, bool by_real);

  // An integer as a real number whose type the context gives.
  Leaf as_real(const Leaf& integer, Span span);
  // Random bits, a long, as a number in [0, 1).
  Leaf as_fraction(const Leaf& bits, Span span);
  // Gives the value the name of a let, for readable output.
  void call(const Leaf& leaf, const std::string& hint);

  // The components of `value` as they are stored in `target`, one node each; a scalar fills every
  // component. Nothing if in error (S012, S018, S019, S020). Warns where precision is lost (S102),
  // of float arithmetic behind a float that is done in double (S103), of integer quotients (S104),
  // of what has been rounded to float on its way to a double (S107).
  std::optional<std::vector<ir::NodeId>> store(const Value& value, const Type& target, Span span);

  // The same at compile time. S010 if some component is not known.
  std::optional<std::vector<Constant>> store_constants(const Value& value, const Type& target,
                                                       Span span);

  std::optional<ir::NodeId> condition(const Value& value, Span span);  // a Bool; S039

  // The type of a scalar; nothing for a literal, a choice of literals or a weak value.
  std::optional<Scalar> type_of(const Leaf& leaf) const;
  // The type of a scalar that nothing else gives one: `fallback` unless it is an integer.
  Scalar natural_type(const Leaf& leaf) const { return common_type({leaf}); }

 private:
  TypePtr common_shape(Op op, const std::vector<Value>& operands, Span span);
  std::optional<Leaf> apply_scalar(Op op, const std::vector<Leaf>& operands, Span span);
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
  void warn_of_float(Span span, const char* found);
  // Whether a float `type` holds `number`: S012 if it becomes an infinity, a warning (S106) if 0.
  bool in_range(double number, Scalar type, Span span);
  bool in_range(const Constant& constant, Scalar type, Span span);
  // `value` in type `to` (not a storage type), rounded once. S012, S020, S106.
  std::optional<Constant> typed(const Constant& value, Scalar to, Span span);
  // A node of exactly type `to`.
  std::optional<ir::NodeId> node(const Leaf& leaf, Scalar to, Span span);
  std::string describe_leaf(const Leaf& leaf) const;

  ir::Graph& graph_;
  Scalar real_;
  Scalar fallback_;
  bool waits_for_type_ = true;
  Report& report_;
  Folded (*fold_)(Op, const std::vector<Constant>&) = fold;

  // Operations that met a float and a double, unless one of their operands is a double for that
  // reason already: then the place to mend is there.
  std::map<ir::NodeId, Span> promotions_;
  std::set<ir::NodeId> promoted_;         // doubles because of such an operation
  std::set<ir::NodeId> seen_in_a_float_;  // by warn_of_promotions

  std::set<ir::NodeId> meant_;             // results of conversions by name
  std::set<ir::NodeId> seen_in_a_double_;  // by warn_of_narrow_parts

  // Weak values, each once, and the nodes that they have become, by type.
  std::map<std::vector<int64_t>, Weak> weak_values_;
  std::map<std::pair<Weak, Scalar>, ir::NodeId> weak_nodes_;
};

}  // namespace stencil::sema
