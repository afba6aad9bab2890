// Lowers boundary rules that the IR does not have: computed values such as `boundary constant
// inflow[time, 0]`, odd reflection, reflection that repeats the edge point, reflection that adds a
// slope, edge points with a given value, and linear extrapolation from the last two points.
//
// Each rule becomes a select on the coordinates of the point. The access itself gets an IR rule (a
// constant, a mirror or clamp), so later stages prove and tile it like any other access. The value
// of a rule is its expression at the position that the access reads, like a function of the program
// applied there: profiles in it are read at that position.
//
// A reflection that repeats the edge point reads the mirror image of the access shifted inward by
// one point. The position k points beyond the edge then maps to the k-th point of the field. Linear
// extrapolation needs the edge point, which clamp gives, and the neighbour of the edge point. The
// offset of that neighbour differs for each point near the edge. It is therefore a select among
// several accesses; their number is at most the offset.
//
// The dimensions are nested: the rule of a dimension is applied to values that the rules of later
// dimensions give. Then the constants are applied, from the last dimension to the first: if an
// access leaves the field in several dimensions with a constant, the first one decides.
#include <algorithm>
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

// Compares the index of the access with the edge of the field's box at that side.
Value Elaborator::beside_edge(Op op, const ir::Access& access, size_t d, bool low, Span span) {
  const ir::Field& field = env_.program.fields[access.field];
  const ir::Range& range = field.box.ranges[d];
  const ir::Affine edge = (low ? range.low : range.high) - access.offsets[d];
  const Value index =
      Value::of_leaf(graph_.add({ir::Index{static_cast<int>(d)}, Scalar::I32, span, {}}));
  const Value bound = edge.is_constant()
                          ? Value::of_leaf(Constant::of_typed(Scalar::I32, edge.constant))
                          : affine(edge, Scalar::I32, span);
  return arithmetic_.apply(op, {index, bound}, span);
}

// The condition that the access reads beyond that side of the field's box.
Value Elaborator::outside(const ir::Access& access, size_t d, bool low, Span span) {
  return beside_edge(low ? Op::Lt : Op::Gt, access, d, low, span);
}

// The value of a rule at the position that an access reads, one leaf per component, in the type in
// which the field is computed. `numbers`: of a constant that needs no computing.
Value Elaborator::value_of_rule(ir::FieldId id, const std::vector<int>& place, SideRule& side,
                                const std::vector<double>& numbers, Span span) {
  side.met = true;
  const ir::Field& field = env_.program.fields[id];
  const TypePtr& type = env_.field_types[id];
  Value computed;
  if (side.value) {
    const bool within = std::exchange(in_boundary_, true);
    applied_at_.push_back(span);
    computed = elsewhere(*side.value, kBoundarySite, place, type.get());
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
      const ir::Constant number{numbers[c], static_cast<int64_t>(numbers[c])};
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

// The mirror image beyond that side, for a mirror that repeats the edge point.
Value Elaborator::reflected(const ir::Access& access, const std::vector<int>& place, size_t d,
                            bool low, Span span) {
  ir::Access moved = access;
  moved.offsets[d] += low ? 1 : -1;
  if (!proved_inside(moved, d, low, span) || !locate(moved, span)) return {};
  return with_reflections(moved, place, d + 1, span);
}

// Proves that the index that the mirror at that side reflects lies in the field. It must not be the
// edge point of a fixed side, because a fixed value is selected by the index before reflection.
bool Elaborator::proved_inside(const ir::Access& access, size_t d, bool low, Span span) {
  const SideRules& rules = env_.field_side_rules[access.field][d];
  const bool fixed = (low ? rules.high : rules.low).fixed;
  return prover_->prove_thrown(access, d, low, fixed ? 1 : 0, span, applied_at_);
}

// What a gradient rule adds to the mirror image: the derivative times the distance between the
// image and the position that the access reads, which is beyond that side.
Value Elaborator::rise(const ir::Access& access, const std::vector<int>& place, size_t d, bool low,
                       Span span) {
  SideRules& rules = env_.field_side_rules[access.field][d];
  SideRule& rule = low ? rules.low : rules.high;
  const Value slope = value_of_rule(access.field, place, rule, {}, span);
  const Value spacing =
      declared_coordinate(env_.grid->spacing, env_.program.fields[access.field].dimension(d), 1);
  if (!slope.ok() || !spacing.ok()) return {};
  const ir::Excess reach = prover_->excess(access.field)[d];
  const std::optional<int64_t>& more = low ? reach.below : reach.above;
  const bool nearest = more && *more + std::abs(int64_t{access.offsets[d]}) <= 1;
  const auto number = [](int64_t value) { return Value::of_leaf(Constant::of_integer(value)); };
  // the distance in points: 2k - 1 about the edge of the cell, 2k about the edge point
  Value points = number(rule.repeats ? 1 : 2);
  if (!nearest) {
    const Value beyond = distance_beyond(access, d, low, span);
    points = arithmetic_.apply(Op::Mul, {number(2), beyond}, span);
    if (rule.repeats) points = arithmetic_.apply(Op::Sub, {points, number(1)}, span);
  }
  const auto* one = std::get_if<Constant>(&spacing.leaves[0]);
  const bool spaced = !one || one->real != 1;
  Value out{slope.type, {}};
  for (size_t c = 0; c < slope.leaves.size(); ++c) {
    const Scalar to = arithmetic_type(env_.program.fields[access.field].components[c].type);
    Value part = Value::of_leaf(slope.leaves[c]);
    if (spaced) {
      const Value length = arithmetic_.convert_by_name(spacing, to, span, false);
      part = arithmetic_.apply(Op::Mul, {part, length}, span);
    }
    if (!nearest || !rule.repeats) part = arithmetic_.apply(Op::Mul, {points, part}, span);
    if (!part.ok()) return {};
    out.leaves.push_back(part.leaves[0]);
  }
  return out;
}

// Conditions have no value beyond a fixed edge, which is a difference. S091.
bool Elaborator::has_numbers(ir::FieldId id, Span span) {
  const ir::Field& field = env_.program.fields[id];
  const bool numbers = std::none_of(field.components.begin(), field.components.end(),
                                    [](const ir::Component& c) { return c.type == Scalar::Bool; });
  if (numbers) return true;
  Diagnostic& error = env_.report.error("S091", span, "a read of conditions beyond a fixed edge");
  error.expected = "a field of numbers, because the value is 2 * g minus that of a point inside";
  error.hint = "end the region so that reads stay in the field, or use clamp or mirror";
  return false;
}

// The value beyond that side. `image`: the value at the mirror image about the edge point, by the
// rules of later dimensions.
Value Elaborator::beyond_side(const ir::Access& access, const std::vector<int>& place, size_t d,
                              bool low, const Value& image, Span span) {
  SideRules& rules = env_.field_side_rules[access.field][d];
  SideRule& rule = low ? rules.low : rules.high;
  if (rule.linear) return extrapolated(access, place, d, low, span);
  Value value = rule.repeats ? reflected(access, place, d, low, span) : image;
  if (!value.ok()) return {};
  if (rule.negates) return arithmetic_.apply(Op::Neg, {value}, span);
  if (rule.gradient) {
    return arithmetic_.apply(Op::Add, {value, rise(access, place, d, low, span)}, span);
  }
  if (!rule.fixed) return value;
  if (!has_numbers(access.field, span)) return {};
  const Value edge = value_of_rule(access.field, place, rule, {}, span);
  const Value twice =
      arithmetic_.apply(Op::Mul, {Value::of_leaf(Constant::of_integer(2)), edge}, span);
  return arithmetic_.apply(Op::Sub, {twice, value}, span);
}

// The value beyond that side, k points from the edge, on the line through the edge point e and its
// neighbour n: e + k * (e - n).
Value Elaborator::extrapolated(const ir::Access& access, const std::vector<int>& place, size_t d,
                               bool low, Span span) {
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
  const Value edge_point = with_reflections(access, place, d + 1, span);
  if (!edge_point.ok()) return {};
  const Value beside = at_offsets(next, span, [&](const std::vector<int>& at) {
    ir::Access moved = access;
    moved.offsets = at;
    return locate(moved, span) ? with_reflections(moved, place, d + 1, span) : Value{};
  });
  const Value slope = arithmetic_.apply(Op::Sub, {edge_point, beside}, span);
  const Value rise =
      arithmetic_.apply(Op::Mul, {distance_beyond(access, d, low, span), slope}, span);
  return arithmetic_.apply(Op::Add, {edge_point, rise}, span);
}

// `value`, replaced by the values of fixed sides at their edge points. The outermost dimension
// decides.
Value Elaborator::hold_edges(const ir::Access& access, const std::vector<int>& place, Value value,
                             Span span) {
  for (size_t d = env_.field_side_rules[access.field].size(); d-- > 0;) {
    for (const bool low : {false, true}) {
      SideRules& rules = env_.field_side_rules[access.field][d];
      SideRule& rule = low ? rules.low : rules.high;
      if (!rule.fixed || !value.ok()) continue;
      if (prover_ && !prover_->may_reach_edge(access, d, low)) continue;
      const Value edge = value_of_rule(access.field, place, rule, {}, span);
      if (!edge.ok()) return {};
      if (prover_ && prover_->always_on_edge(access, d, low)) {
        value.leaves = edge.leaves;
        continue;
      }
      const Value there = beside_edge(Op::Eq, access, d, low, span);
      value = arithmetic_.apply(Op::Select, {there, edge, value}, span);
    }
  }
  return value;
}

// The value of an access by the IR's rules and of fixed edge points.
Value Elaborator::held(const ir::Access& access, const std::vector<int>& place, Span span) {
  Value value = components(access, span);
  if (access.in_place || (site_.edges_stored && access.level == 0)) return value;
  return hold_edges(access, place, std::move(value), span);
}

Value Elaborator::at_fixed_edges(ir::FieldId field, Value value, Span span) {
  const auto rank = static_cast<size_t>(env_.program.fields[field].box.rank());
  const ir::Access point{field, 0, 0, std::vector<int>(rank), 0};
  return hold_edges(point, point.offsets, std::move(value), span);
}

// The value of an access by the IR's rules and, in dimension `first` and later ones, by the rules
// that compute a value from those of the field. `place`: the offsets of the access as written;
// values of rules are read there.
Value Elaborator::with_reflections(const ir::Access& access, const std::vector<int>& place,
                                   size_t first, Span span) {
  const std::vector<SideRules> side_rules = env_.field_side_rules[access.field];
  for (size_t d = first; d < side_rules.size(); ++d) {
    const bool below = access.escapes_below(d) && side_rules[d].low.computes();
    const bool above = access.escapes_above(d) && side_rules[d].high.computes();
    if (!below && !above) continue;
    const Value image = with_reflections(access, place, d + 1, span);
    Value value = image;
    for (const bool low : {true, false}) {
      if (!(low ? below : above) || !value.ok()) continue;
      const Value beyond = beyond_side(access, place, d, low, image, span);
      if (!beyond.ok()) return {};
      value = arithmetic_.apply(Op::Select, {outside(access, d, low, span), beyond, value}, span);
    }
    return value;
  }
  return held(access, place, span);
}

Value Elaborator::with_side_rules(const ir::Access& access, Value value, Span span) {
  std::vector<SideRules>& side_rules = env_.field_side_rules[access.field];
  const ir::Field field = env_.program.fields[access.field];
  // A constant of one dimension also replaces the fixed edge of another, which `value` has.
  const bool fixed = std::any_of(side_rules.begin(), side_rules.end(), [](const SideRules& rules) {
    return rules.low.fixed || rules.high.fixed;
  });
  bool counts = false;
  for (size_t d = 0; d < side_rules.size(); ++d) {
    const ir::Boundary& rules = field.boundary[d];
    const bool constant_low = fixed && rules.low.kind == ir::BoundaryKind::Constant;
    const bool constant_high = fixed && rules.high.kind == ir::BoundaryKind::Constant;
    const bool below = side_rules[d].low.counts() || constant_low ||
                       (rules.low.kind == ir::BoundaryKind::Mirror && side_rules[d].high.counts());
    const bool above = side_rules[d].high.counts() || constant_high ||
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
  for_each_escape([&](size_t d, bool low, const ir::BoundaryRule& rule, const SideRule& side) {
    // The far side's rule applies to the index itself and not to one that this mirror reflects, so
    // the reflected index must lie in the field.
    const SideRule& far = low ? side_rules[d].high : side_rules[d].low;
    const bool mirrored = rule.kind == ir::BoundaryKind::Mirror && !side.repeats;
    if (mirrored && (side.counts() || far.counts())) sound &= proved_inside(access, d, low, span);
  });
  for_each_escape([&](size_t d, bool low, const ir::BoundaryRule& rule, SideRule& side) {
    if (rule.kind != ir::BoundaryKind::Constant || !sound || !value.ok()) return;
    const Value beyond = value_of_rule(access.field, access.offsets, side, rule.values, span);
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
