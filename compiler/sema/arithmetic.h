// Operations on values: shapes, types, conversions, and the graph nodes that result.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compiler/sema/fold.h"
#include "compiler/sema/report.h"
#include "compiler/sema/value.h"

namespace stencil::sema {

class Arithmetic {
 public:
  // `real`: the type that `real` means, which integers take where a float is needed.
  Arithmetic(ir::Graph& graph, Scalar real, Report& report)
      : graph_(graph), real_(real), report_(report) {}

  // From here on all operands are constants, and so are the results: reals are computed in double.
  void fold_completely() { fold_ = sema::fold_completely; }

  // `op` on scalars, or componentwise on vectors and structures of one shape, a scalar operand
  // being repeated. In error (S013, S018, S019): reported, and a value that is not ok().
  Value apply(Op op, const std::vector<Value>& operands, Span span);

  // The conversions written integer(x), real(x), ...; componentwise.
  Value convert(const Value& value, Scalar to, Span span);

  // The components of `value` as they are stored in `target`, one node each; a scalar fills every
  // component. Nothing if in error (S012, S018, S019, S020). Warns where precision is lost (S102),
  // of float arithmetic behind a float that is done in double (S103), of integer quotients (S104).
  std::optional<std::vector<ir::NodeId>> store(const Value& value, const Type& target, Span span);

  // The same at compile time. S010 if some component is not known.
  std::optional<std::vector<Constant>> store_constants(const Value& value, const Type& target,
                                                       Span span);

  std::optional<ir::NodeId> condition(const Value& value, Span span);  // a Bool; S039

  // The type of a scalar; nothing for a literal or a choice of literals.
  std::optional<Scalar> type_of(const Leaf& leaf) const;
  // The type of a scalar that nothing else gives one: of a literal, `real` unless it is an integer.
  Scalar natural_type(const Leaf& leaf) const { return common_type({leaf}); }

 private:
  TypePtr common_shape(Op op, const std::vector<Value>& operands, Span span);
  std::optional<Leaf> apply_scalar(Op op, const std::vector<Leaf>& operands, Span span);
  std::optional<Leaf> compute_scalar(Op op, const std::vector<Leaf>& operands, Span span);
  Span quotient_in(const Leaf& result, Op op, const std::vector<Leaf>& operands, Span span) const;
  void warn_of_quotient(const Leaf& integer, Scalar to);
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
  Report& report_;
  Folded (*fold_)(Op, const std::vector<Constant>&) = fold;

  // Operations that met a float and a double, unless one of their operands is a double for that
  // reason already: then the place to mend is there.
  std::map<ir::NodeId, Span> promotions_;
  std::set<ir::NodeId> promoted_;         // doubles because of such an operation
  std::set<ir::NodeId> seen_in_a_float_;  // by warn_of_promotions
};

}  // namespace stencil::sema
