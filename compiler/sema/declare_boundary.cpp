// Declares the boundary rules of fields and series. The IR has rules for constant numbers, clamp,
// mirror and periodic, which go to ir::Field::boundary. The IR has no rules for computed values,
// odd, symmetric, antisymmetric and linear. These become the nearest IR rule plus an entry in
// `side_rules`. If an access may leave the field, side_rules.cpp adds the remaining operations.
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

// The IR rule for a boundary rule. The part that the IR cannot express goes to `side`
// (side_rules.cpp).
std::optional<ir::BoundaryRule> boundary_rule(Environment& env, const ast::BoundaryRule& rule,
                                              const Type& type, SideRule& side) {
  ir::BoundaryRule result{boundary_kind(rule.kind), {}};
  using Kind = ast::BoundaryKind;
  side.negates = rule.kind == Kind::Odd || rule.kind == Kind::Antisymmetric;
  side.value = nullptr;  // the high side starts as a copy of the low side
  side.repeats = rule.kind == Kind::Symmetric || rule.kind == Kind::Antisymmetric;
  side.linear = rule.kind == Kind::Linear;
  if (!rule.value) return result;
  if (varies(env, *rule.value)) {
    side.value = rule.value.get();
    result.values.assign(static_cast<size_t>(type.components), 0);
    return result;
  }
  ir::Graph scratch;
  Elaborator elaborator(env, kConstantSite, scratch);
  const auto values = elaborator.arithmetic().store_constants(
      elaborator.elaborate(*rule.value, &type), type, rule.value->span);
  if (!values) return std::nullopt;
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

// A linear boundary needs two points in its dimension. S063 if the size is known, otherwise a check
// before the run.
bool has_lines(Environment& env, const ast::Boundary& boundary, const ir::Box& box,
               const std::vector<SideRules>& side_rules) {
  for (size_t d = 0; d < side_rules.size(); ++d) {
    if (!side_rules[d].low.linear && !side_rules[d].high.linear) continue;
    const ir::Affine more = box.ranges[d].high - box.ranges[d].low - 1;
    const std::string message =
        fmt::format("a linear boundary needs two points in dimension {}", d + 1);
    const Verdict verdict = decide(env.facts, more);
    if (verdict == Verdict::Unknown) env.add_check({{more}, "S063", message, boundary.span});
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
         has_lines(env, boundary, field.box, side_rules);
}

}  // namespace stencil::sema
