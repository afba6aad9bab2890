// Declares the boundary rules of fields and series. Rules that the IR has (constant numbers, clamp,
// mirror, periodic) go to ir::Field::boundary. Rules that the IR does not have (computed values,
// odd, symmetric, antisymmetric, linear, gradient, fixed) become the nearest IR rule plus an entry
// in `side_rules`; accesses that escape add the rest (side_rules.cpp).
#include "compiler/sema/declare_boundary.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/sema/ast_names.h"
#include "compiler/sema/bounds.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/prove.h"

namespace stencil::sema {
namespace {

ir::BoundaryKind boundary_kind(ast::BoundaryKind kind) {
  switch (kind) {
    case ast::BoundaryKind::None:
      return ir::BoundaryKind::None;
    case ast::BoundaryKind::Constant:
      return ir::BoundaryKind::Constant;
    case ast::BoundaryKind::Clamp:
    case ast::BoundaryKind::Linear:
      return ir::BoundaryKind::Clamp;
    case ast::BoundaryKind::Mirror:
    case ast::BoundaryKind::Odd:
    case ast::BoundaryKind::Symmetric:
    case ast::BoundaryKind::Antisymmetric:
    case ast::BoundaryKind::Gradient:
    case ast::BoundaryKind::MirrorGradient:
    case ast::BoundaryKind::Fixed:
      return ir::BoundaryKind::Mirror;
    case ast::BoundaryKind::Periodic:
      return ir::BoundaryKind::Periodic;
  }
  return ir::BoundaryKind::None;
}

// Whether the value may differ between steps, points or runs.
bool varies(const Environment& env, const ast::Expr& value) {
  bool found = false;
  for_each_free_name(value, [&](const std::string& name, Span) {
    const auto declared = env.names.find(name);
    const bool param = declared != env.names.end() && declared->second.kind == Declared::Param &&
                       !declared->second.broken;
    if (param) {
      found |= !env.program.params[declared->second.index].integer_value;
    } else if (declared != env.names.end() && declared->second.kind == Declared::ParamGroup) {
      found = true;
    } else {
      found |= name == "time" || env.is_field_or_function(name);
    }
  });
  return found;
}

// A derivative is a real number, so the field must be of floating type. S091.
bool has_gradient(Environment& env, const ast::BoundaryRule& rule, const Type& type) {
  for (const ir::Component& component : flatten(type)) {
    if (is_float(arithmetic_type(component.type))) continue;
    Diagnostic& error = env.report.error("S091", rule.span, "a gradient of integers or conditions");
    error.expected = "a field of floating type";
    error.found = fmt::format("{}", stencil::name(component.type));
    error.hint = "use clamp, mirror, symmetric or linear";
    return false;
  }
  return true;
}

// `side` receives the part that is not an IR rule (side_rules.cpp).
std::optional<ir::BoundaryRule> boundary_rule(Environment& env, const ast::BoundaryRule& rule,
                                              const Type& type, SideRule& side) {
  ir::BoundaryRule result{boundary_kind(rule.kind), {}};
  using Kind = ast::BoundaryKind;
  side = {};  // the high side starts as a copy of the low side
  side.negates = rule.kind == Kind::Odd || rule.kind == Kind::Antisymmetric;
  side.repeats = rule.kind == Kind::Symmetric || rule.kind == Kind::Antisymmetric ||
                 rule.kind == Kind::Gradient;
  side.linear = rule.kind == Kind::Linear;
  side.gradient = rule.kind == Kind::Gradient || rule.kind == Kind::MirrorGradient;
  side.fixed = rule.kind == Kind::Fixed;
  if (!rule.value) return result;
  if (side.gradient && !has_gradient(env, rule, type)) return std::nullopt;
  const bool number = rule.kind == Kind::Constant;
  if (!number) side.value = rule.value.get();
  env.has_fixed_edges |= side.fixed;
  if (varies(env, *rule.value)) {
    side.value = rule.value.get();
    if (number) result.values.assign(static_cast<size_t>(type.components), 0);
    return result;
  }
  ir::Graph scratch;
  Elaborator elaborator(env, kConstantSite, scratch);
  const auto values = elaborator.arithmetic().store_constants(
      elaborator.elaborate(*rule.value, &type), type, rule.value->span);
  if (!values) return std::nullopt;
  if (!number) return result;  // accesses compute it; this reported its errors
  for (const Constant& value : *values) {
    result.values.push_back(value.integer ? static_cast<double>(*value.integer) : value.real);
  }
  return result;
}

// The rules of one dimension. A periodic edge continues at the opposite edge, so both edges must be
// periodic or neither.
std::optional<ir::Boundary> boundary_sides(Environment& env, const ast::BoundarySides& sides,
                                           const Type& type, SideRules& side_rules) {
  const ast::BoundaryRule& high_side = sides.high ? *sides.high : sides.low;
  const bool low_wraps = sides.low.kind == ast::BoundaryKind::Periodic;
  const bool high_wraps = high_side.kind == ast::BoundaryKind::Periodic;
  if (low_wraps != high_wraps) {
    const Span span = low_wraps ? sides.low.span : high_side.span;
    Diagnostic& error = env.report.error("S043", span, "periodic on one side only");
    error.expected = "periodic on both sides of a dimension, or on neither";
    error.hint = "'periodic' alone stands for both sides";
    return std::nullopt;
  }
  const auto low = boundary_rule(env, sides.low, type, side_rules.low);
  side_rules.high = side_rules.low;
  const auto high = sides.high ? boundary_rule(env, *sides.high, type, side_rules.high) : low;
  if (!low || !high) return std::nullopt;
  return ir::Boundary{*low, *high};
}

// The hint for a list with too many or too few entries. Two entries in a row that are not periodic
// may be meant as the low and the high wall of one dimension.
std::string hint_of_count(const Environment& env, const ast::Boundary& boundary, size_t rank) {
  const auto& entries = boundary.dimensions;
  if (entries.size() < rank) return "a rule without brackets applies to all dimensions";
  const auto may_be_wall = [](const ast::BoundarySides& sides) {
    return !sides.high && sides.low.kind != ast::BoundaryKind::Periodic;
  };
  for (size_t e = entries.size(); --e > 0;) {
    if (!may_be_wall(entries[e - 1]) || !may_be_wall(entries[e])) continue;
    return fmt::format("the low and the high wall of one dimension are written '{} .. {}'",
                       env.text(entries[e - 1].low.span), env.text(entries[e].low.span));
  }
  return "";
}

// The rules of a field with `rank` dimensions. Returns nullopt after an error.
std::optional<std::vector<ir::Boundary>> elaborate_boundary(Environment& env,
                                                            const ast::Boundary& boundary,
                                                            const Type& type, size_t rank,
                                                            std::vector<SideRules>& side_rules) {
  if (boundary.list && boundary.dimensions.size() != rank) {
    Diagnostic& error = env.report.error("S014", boundary.span, "wrong number of boundaries");
    error.expected =
        fmt::format("{}, one per dimension of the {}", rank,
                    static_cast<int>(rank) == env.program.grid.rank() ? "grid" : "field");
    error.found = fmt::format("{}", boundary.dimensions.size());
    error.hint = hint_of_count(env, boundary, rank);
    return std::nullopt;
  }
  std::vector<ir::Boundary> result;
  bool ok = true;
  for (const ast::BoundarySides& sides : boundary.dimensions) {
    const auto rules = boundary_sides(env, sides, type, side_rules.emplace_back());
    ok &= rules.has_value();
    result.push_back(rules.value_or(ir::Boundary{}));
  }
  if (!ok) return std::nullopt;
  if (!boundary.list) {
    result.resize(rank, ir::Boundary(result[0]));
    side_rules.resize(rank, SideRules(side_rules[0]));
  }
  return result;
}

// Profiles and series allow only rules that the IR has. A computed rule could read another profile
// beyond its edge, and the rule of that profile could again read another one. S053.
bool require_plain(Environment& env, const ast::Boundary& boundary,
                   const std::vector<SideRules>& side_rules) {
  const bool plain = std::none_of(
      side_rules.begin(), side_rules.end(),
      [](const SideRules& dimension) { return dimension.low.counts() || dimension.high.counts(); });
  if (plain) return true;
  Diagnostic& error =
      env.report.error("S053", boundary.span, "profiles and series cannot have this boundary");
  error.expected = "none, a number, clamp, mirror or periodic";
  return false;
}

// Linear and fixed sides need two points in their dimension. S063, or a check before a run.
bool has_two_points(Environment& env, const ast::Boundary& boundary, const ir::Box& box,
                    const std::vector<SideRules>& side_rules) {
  for (size_t d = 0; d < side_rules.size(); ++d) {
    const SideRule &low = side_rules[d].low, &high = side_rules[d].high;
    const bool linear = low.linear || high.linear;
    if (!linear && !low.fixed && !high.fixed) continue;
    const ir::Affine more = box.ranges[d].high - box.ranges[d].low - 1;
    const std::string message = fmt::format("a {} boundary needs two points in dimension {}",
                                            linear ? "linear" : "fixed", d);
    const Verdict verdict = decide(env.facts, more);
    if (verdict == Verdict::Unknown) {
      env.add_check({{more}, "S063", message, boundary.span});
      env.facts.push_back(more);  // holds in every run that this check admits
    }
    if (verdict != Verdict::Fails) continue;
    env.report.error("S063", boundary.span, message).found =
        fmt::format("{}..{}", env.print(box.ranges[d].low), env.print(box.ranges[d].high));
    return false;
  }
  return true;
}

}  // namespace

bool take_boundary(Environment& env, const ast::Boundary& boundary, const Type& type,
                   ir::Field& field, std::vector<SideRules>& side_rules) {
  auto rules = elaborate_boundary(env, boundary, type, field.boundary.size(), side_rules);
  if (rules) field.boundary = std::move(*rules);
  return rules.has_value() &&
         (!field.read_in_place() || require_plain(env, boundary, side_rules)) &&
         has_two_points(env, boundary, field.box, side_rules);
}

}  // namespace stencil::sema
