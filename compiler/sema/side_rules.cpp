// Lowers boundary rules that the IR does not have: computed values such as `boundary constant
// inflow[time, 0]`, odd reflection, reflection that repeats the edge point, and linear
// extrapolation from the last two points.
//
// Each rule becomes a select on the coordinates of the point. The access itself gets an IR rule (a
// constant, a mirror or clamp), so later stages prove and tile it like any other access. A computed
// value is its expression at the position beyond the edge. The expression is elaborated like a
// function of the program that is applied at that position, so it reads profiles there.
//
// A reflection that repeats the edge point reads the mirror image of the access shifted inward by
// one point. The position k points beyond the edge then maps to the k-th point of the field. Linear
// extrapolation needs the edge point, which clamp gives, and the neighbour of the edge point. The
// offset of that neighbour differs for each point near the edge. It is therefore a select among
// several accesses; their number is at most the offset.
//
// These shifted accesses are built first, with nested dimensions. Then the constants are applied,
// from the last dimension to the first. If an access leaves the field in several dimensions with a
// constant, the first of these dimensions decides. The signs of odd sides are applied before the
// constants, because a constant is not negated.
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "compiler/sema/elaborate.h"

namespace stencil::sema {
namespace {

// Largest number of accesses among which the neighbour of the edge point is selected.
constexpr int64_t kMostOfLine = 32;

}  // namespace

// Elaborates an expression from elsewhere in the program, moved by `shift`. The expression does not
// see the local names and functions of the place that uses it.
Value Elaborator::elsewhere(const ast::Expr& expr, const Site& site, std::vector<int> shift,
                            const Type* expected) {
  Frame global;
  Frame* const frame = std::exchange(frame_, &global);
  const Site own_site = std::exchange(site_, site);
  shift = std::exchange(shift_, std::move(shift));
  const int function = std::exchange(current_function_, static_cast<int>(env_.functions.size()));
  Value value = elaborate(expr, expected);
  current_function_ = function;
  shift_ = std::move(shift);
  site_ = own_site;
  frame_ = frame;
  return value;
}

// The condition that the access reads beyond the given side of the field's box.
Value Elaborator::outside(const ir::Access& access, size_t d, bool low, Span span) {
  const ir::Field& field = env_.program.fields[access.field];
  const ir::Range& range = field.box.ranges[d];
  const ir::Affine edge = (low ? range.low : range.high) - access.offsets[d];
  const Value index =
      Value::of_leaf(graph_.add({ir::Index{static_cast<int>(d)}, Scalar::I32, span, {}}));
  const Value bound = edge.is_constant()
                          ? Value::of_leaf(Constant::of_typed(Scalar::I32, edge.constant))
                          : affine(edge, Scalar::I32, span);
  return arithmetic_.apply(low ? Op::Lt : Op::Gt, {index, bound}, span);
}

// The value beyond an edge with a constant rule, one leaf for each component. It has the type in
// which the field is computed.
Value Elaborator::value_beyond(const ir::Access& access, const ir::BoundaryRule& rule,
                               SideRule& side, Span span) {
  side.met = true;
  const ir::Field& field = env_.program.fields[access.field];
  const TypePtr& type = env_.field_types[access.field];
  Value computed;
  if (side.value) {
    const bool within = std::exchange(in_boundary_, true);
    applied_at_.push_back(span);
    computed = elsewhere(*side.value, kBoundarySite, access.offsets, type.get());
    applied_at_.pop_back();
    in_boundary_ = within;
    if (!computed.ok()) return {};
    if (computed.leaves.size() != 1 && computed.leaves.size() != field.components.size()) {
      env_.report
          .error("S018", side.value->span, "the boundary value and the field have different shapes")
          .found = describe(*computed.type);
      return {};
    }
  }
  Value out{type, {}};
  for (size_t c = 0; c < field.components.size(); ++c) {
    const Scalar to = arithmetic_type(field.components[c].type);
    if (!side.value) {
      const ir::Constant number{rule.values[c], static_cast<int64_t>(rule.values[c])};
      out.leaves.push_back(
          graph_.add({is_float(to) ? ir::Constant{number.real, 0} : ir::Constant{0, number.integer},
                      to,
                      span,
                      {}}));
      continue;
    }
    const auto stored =
        arithmetic_.store(Value::of_leaf(leaf_of(computed, c)), *scalar_type(to), side.value->span);
    if (!stored) return {};
    out.leaves.push_back(stored->front());
  }
  return out;
}

// The value `from` minus the index of the point in `dimension`.
Value Elaborator::distance(const ir::Affine& from, int dimension, Span span) {
  const Value index = Value::of_leaf(graph_.add({ir::Index{dimension}, Scalar::I32, span, {}}));
  const Value to = from.is_constant()
                       ? Value::of_leaf(Constant::of_typed(Scalar::I32, from.constant))
                       : affine(from, Scalar::I32, span);
  return arithmetic_.apply(Op::Sub, {to, index}, span);
}

// The distance in points from the given side to the position that the access reads, if that
// position lies beyond the side.
Value Elaborator::distance_beyond(const ir::Access& access, size_t d, bool low, Span span) {
  const ir::Field& field = env_.program.fields[access.field];
  const ir::Range& range = field.box.ranges[d];
  const ir::Affine edge = (low ? range.low : range.high) - access.offsets[d];
  const Value points = distance(edge, static_cast<int>(d), span);
  return low ? points : arithmetic_.apply(Op::Neg, {points}, span);
}

// The value beyond the given side for a mirror that repeats the edge point. It is negated if the
// rule is antisymmetric.
Value Elaborator::reflected(const ir::Access& access, size_t d, bool low, Span span) {
  const SideRules& side_rules = env_.field_side_rules[access.field][d];
  const bool negates = (low ? side_rules.low : side_rules.high).negates;
  ir::Access moved = access;
  moved.offsets[d] += low ? 1 : -1;
  const bool thrown_inside = prover_->prove_thrown(moved, d, low, span, applied_at_);
  if (!thrown_inside || !locate(moved, span)) return {};
  const Value value = with_reflections(moved, d + 1, span);
  return negates && value.ok() ? arithmetic_.apply(Op::Neg, {value}, span) : value;
}

// The value beyond the given side, k points from the edge. It lies on the line through the edge
// point e and its neighbour n: e + k * (e - n).
Value Elaborator::extrapolated(const ir::Access& access, size_t d, bool low, Span span) {
  const ir::Field& field = env_.program.fields[access.field];
  const ir::Range range = field.box.ranges[d];
  const ir::Excess reach = prover_->excess(access.field)[d];
  const std::optional<int64_t>& more = low ? reach.below : reach.above;
  const int64_t near = low ? 2 + int64_t{access.offsets[d]} : int64_t{access.offsets[d]} - 2;
  const int64_t far = (low ? 1 : -1) * (1 + more.value_or(0));
  if (!more || std::abs(near - far) >= kMostOfLine) {
    Diagnostic& error =
        env_.report.error("S064", span, "an access too far beyond a linear boundary");
    error.expected = fmt::format("at most {} points beyond a linear side", kMostOfLine);
    error.hint = more ? "use a smaller offset or another boundary"
                      : "limit with 'require' how far the region extends beyond the field";
    return {};
  }
  Offsets next;
  for (const int offset : access.offsets) next.push_back({offset, offset});
  next[d].low = static_cast<int>(std::min(near, far));
  next[d].high = static_cast<int>(std::max(near, far));
  next[d].varies = distance(low ? range.low + 1 : range.high - 1, static_cast<int>(d), span);
  const Value edge_point = with_reflections(access, d + 1, span);
  if (!edge_point.ok()) return {};
  const Value beside = at_offsets(next, span, [&](const std::vector<int>& at) {
    ir::Access moved = access;
    moved.offsets = at;
    return locate(moved, span) ? with_reflections(moved, d + 1, span) : Value{};
  });
  const Value slope = arithmetic_.apply(Op::Sub, {edge_point, beside}, span);
  const Value rise =
      arithmetic_.apply(Op::Mul, {distance_beyond(access, d, low, span), slope}, span);
  return arithmetic_.apply(Op::Add, {edge_point, rise}, span);
}

// The value of an access under the IR's rules. In dimension `first` and later dimensions, it also
// applies the rules that read at other offsets.
Value Elaborator::with_reflections(const ir::Access& access, size_t first, Span span) {
  const std::vector<SideRules> side_rules = env_.field_side_rules[access.field];
  for (size_t d = first; d < side_rules.size(); ++d) {
    const bool below = access.escapes_below(d) && side_rules[d].low.moves();
    const bool above = access.escapes_above(d) && side_rules[d].high.moves();
    if (!below && !above) continue;
    Value value = with_reflections(access, d + 1, span);
    for (const bool low : {true, false}) {
      if (!(low ? below : above) || !value.ok()) continue;
      const SideRule& rule = low ? side_rules[d].low : side_rules[d].high;
      const Value beyond =
          rule.linear ? extrapolated(access, d, low, span) : reflected(access, d, low, span);
      if (!beyond.ok()) return {};
      value = arithmetic_.apply(Op::Select, {outside(access, d, low, span), beyond, value}, span);
    }
    return value;
  }
  return components(access, span);
}

Value Elaborator::with_side_rules(const ir::Access& access, Value value, Span span) {
  std::vector<SideRules>& side_rules = env_.field_side_rules[access.field];
  const ir::Field field = env_.program.fields[access.field];
  bool counts = false;
  for (size_t d = 0; d < side_rules.size(); ++d) {
    const ir::Boundary& rules = field.boundary[d];
    const bool below = side_rules[d].low.counts() ||
                       (rules.low.kind == ir::BoundaryKind::Mirror && side_rules[d].high.counts());
    const bool above = side_rules[d].high.counts() ||
                       (rules.high.kind == ir::BoundaryKind::Mirror && side_rules[d].low.counts());
    counts |= (access.escapes_below(d) && below) || (access.escapes_above(d) && above);
  }
  if (!counts) return value;
  const auto for_each_escape = [&](const auto& visit) {
    for (size_t d = side_rules.size(); d-- > 0;) {
      if (access.escapes_above(d)) visit(d, false, field.boundary[d].high, side_rules[d].high);
      if (access.escapes_below(d)) visit(d, true, field.boundary[d].low, side_rules[d].low);
    }
  };
  bool sound = true;
  for_each_escape([&](size_t d, bool low, const ir::BoundaryRule& rule, SideRule& side) {
    // The rule of the far side applies to the index itself. It does not apply to an index that this
    // mirror reflects, so the reflected index must lie in the field.
    const SideRule& far = low ? side_rules[d].high : side_rules[d].low;
    const bool mirrored = rule.kind == ir::BoundaryKind::Mirror && !side.repeats;
    const bool thrown = mirrored && (side.negates || far.counts());
    if (thrown) sound &= prover_->prove_thrown(access, d, low, span, applied_at_);
    if (!side.negates || side.repeats || !sound || !value.ok()) return;
    const Value negative = arithmetic_.apply(Op::Neg, {value}, span);
    value = arithmetic_.apply(Op::Select, {outside(access, d, low, span), negative, value}, span);
  });
  for_each_escape([&](size_t d, bool low, const ir::BoundaryRule& rule, SideRule& side) {
    if (rule.kind != ir::BoundaryKind::Constant || !sound || !value.ok()) return;
    const Value beyond = value_beyond(access, rule, side, span);
    if (!beyond.ok()) {
      sound = false;
      return;
    }
    value = arithmetic_.apply(Op::Select, {outside(access, d, low, span), beyond, value}, span);
  });
  return sound ? value : Value{};
}

void check_unmet_side_rules(Environment& env) {
  for (std::vector<SideRules>& dimensions : env.field_side_rules) {
    for (SideRules& side_rules : dimensions) {
      for (SideRule* side : {&side_rules.low, &side_rules.high}) {
        if (side->value && !side->met) env.check_names(*side->value, {});
        for (SideRule* same :
             {&side_rules.low, &side_rules.high}) {  // one rule may apply to both sides
          if (same->value == side->value) same->met = true;
        }
      }
    }
  }
}

}  // namespace stencil::sema
