// Declares the boundary rules of fields and series. Their values may use functions, series and
// profiles, which are declared later, so only numbers are evaluated here.
#include "compiler/sema/declare_boundary.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/sema/ast_names.h"
#include "compiler/sema/bounds.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/prove.h"

namespace stencil::sema {
namespace {

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

// `value`: receives the expression of the rule if it is not a number.
std::optional<ir::BoundaryRule> boundary_rule(Environment& env, const ast::BoundaryRule& rule,
                                              const Type& type, const ast::Expr*& value) {
  ir::BoundaryRule result{rule.kind, {}};
  value = nullptr;  // the high side starts as a copy of the low side
  if (!rule.value) return result;
  if (result.row().takes == BoundaryTakes::Slope && !has_gradient(env, rule, type)) {
    return std::nullopt;
  }
  const bool number = result.row().image == BoundaryImage::Given;
  if (!number || varies(env, *rule.value)) value = rule.value.get();
  if (varies(env, *rule.value)) return result;
  ir::Graph scratch;
  Elaborator elaborator(env, kConstantSite, scratch);
  const auto values = elaborator.arithmetic().store_constants(
      elaborator.elaborate(*rule.value, &type), type, rule.value->span);
  if (!values) return std::nullopt;
  if (!number) return result;  // elaborate_rules() computes it; this reported its errors
  for (const Constant& one : *values) {
    result.values.push_back(one.integer ? static_cast<double>(*one.integer) : one.real);
  }
  return result;
}

// The rules of one dimension. If a rule continues at the opposite edge, both edges must have it.
std::optional<ir::Boundary> boundary_sides(Environment& env, const ast::BoundarySides& sides,
                                           const Type& type, SideValues& values) {
  const ast::BoundaryRule& high_side = sides.high ? *sides.high : sides.low;
  const bool low_joins = row_of(sides.low.kind).joins_edges();
  if (sides.low.kind != high_side.kind && (low_joins || row_of(high_side.kind).joins_edges())) {
    const ast::BoundaryRule& rule = low_joins ? sides.low : high_side;
    const std::string_view keyword = row_of(rule.kind).keyword;
    Diagnostic& error =
        env.report.error("S043", rule.span, fmt::format("{} on one side only", keyword));
    error.expected = fmt::format("{} on both sides of a dimension, or on neither", keyword);
    error.hint = fmt::format("'{}' alone stands for both sides", keyword);
    return std::nullopt;
  }
  const auto low = boundary_rule(env, sides.low, type, values.low);
  values.high = values.low;
  const auto high = sides.high ? boundary_rule(env, *sides.high, type, values.high) : low;
  if (!low || !high) return std::nullopt;
  return ir::Boundary{*low, *high};
}

// The hint for a list with too many or too few entries. Two entries in a row that do not join the
// edges may be meant as the low and the high wall of one dimension.
std::string hint_of_count(const Environment& env, const ast::Boundary& boundary, size_t rank) {
  const auto& entries = boundary.dimensions;
  if (entries.size() < rank) return "a rule without brackets applies to all dimensions";
  const auto may_be_wall = [](const ast::BoundarySides& sides) {
    return !sides.high && !row_of(sides.low.kind).joins_edges();
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
                                                            std::vector<SideValues>& side_values) {
  if (boundary.list && boundary.dimensions.size() != rank) {
    Diagnostic& error = env.report.error("S014", boundary.span, "wrong number of boundaries");
    error.expected = fmt::format("{}, one per dimension of the {}", rank,
                                 static_cast<int>(rank) == env.rank() ? "grid" : "field");
    error.found = fmt::format("{}", boundary.dimensions.size());
    error.hint = hint_of_count(env, boundary, rank);
    return std::nullopt;
  }
  std::vector<ir::Boundary> result;
  bool ok = true;
  for (const ast::BoundarySides& sides : boundary.dimensions) {
    const auto rules = boundary_sides(env, sides, type, side_values.emplace_back());
    ok &= rules.has_value();
    result.push_back(rules.value_or(ir::Boundary{}));
  }
  if (!ok) return std::nullopt;
  if (!boundary.list) {
    result.resize(rank, ir::Boundary(result[0]));
    side_values.resize(rank, SideValues(side_values[0]));
  }
  return result;
}

// Profiles and series allow only rules that the IR has. A computed rule could read another profile
// beyond its edge, and the rule of that profile could again read another one. S053.
bool require_plain(Environment& env, const ast::Boundary& boundary, const ir::Field& field,
                   const std::vector<SideValues>& side_values) {
  const bool values = std::any_of(side_values.begin(), side_values.end(),
                                  [](const SideValues& side) { return side.low || side.high; });
  if (!values && field.plain()) return true;
  Diagnostic& error =
      env.report.error("S053", boundary.span, "profiles and series cannot have this boundary");
  error.expected = plain_boundary_list();
  return false;
}

// Linear and fixed sides need two points in their dimension. S063, or a check before a run.
bool has_two_points(Environment& env, const ast::Boundary& boundary, const ir::Field& field) {
  for (size_t d = 0; d < field.boundary.size(); ++d) {
    const ir::Boundary& rules = field.boundary[d];
    const auto on_line = [](const ir::BoundaryRule& rule) {
      return rule.row().image == BoundaryImage::Line;
    };
    const bool linear = on_line(rules.low) || on_line(rules.high);
    if (!linear && !rules.fixed()) continue;
    const ir::Range& range = field.box.ranges[d];
    const ir::Affine more = range.high - range.low - 1;
    const std::string message = fmt::format("a {} boundary needs two points in dimension {}",
                                            linear ? "linear" : "fixed", d);
    const Verdict verdict = decide(env.facts, more);
    if (verdict == Verdict::Unknown) {
      env.add_check({{more}, "S063", message, boundary.span});
      env.facts.push_back(more);  // holds in every run that this check admits
    }
    if (verdict != Verdict::Fails) continue;
    env.report.error("S063", boundary.span, message).found =
        fmt::format("{}..{}", env.print(range.low), env.print(range.high));
    return false;
  }
  return true;
}

}  // namespace

bool take_boundary(Environment& env, const ast::Boundary& boundary, const Type& type,
                   ir::Field& field, std::vector<SideValues>& side_values) {
  auto rules = elaborate_boundary(env, boundary, type, field.boundary.size(), side_values);
  if (!rules) return false;
  field.boundary = std::move(*rules);
  return (!field.read_in_place() || require_plain(env, boundary, field, side_values)) &&
         has_two_points(env, boundary, field);
}

}  // namespace stencil::sema
