// Stores the values of fixed edge points. Reads do not depend on this, because they take the value
// of the rule (side_rules.cpp). It makes arrays, files and pictures show it.
//
// The first function of a step that writes a component of a field also writes it at all fixed edge
// points. Points that its regions leave out become pieces of their own. A region that begins at a
// fixed edge loses the edge points, so the interior is computed by a piece whose neighbours need no
// select.
#include "compiler/sema/fixed_edges.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "compiler/sema/ast_names.h"
#include "compiler/sema/pieces.h"
#include "compiler/sema/prove.h"

namespace stencil::sema {
namespace {

bool is_fixed(const Environment& env, ir::FieldId field, size_t d, bool low) {
  const auto& dimensions = env.field_side_rules[field];
  return d < dimensions.size() && (low ? dimensions[d].low : dimensions[d].high).fixed;
}

bool has_fixed_sides(const Environment& env, ir::FieldId field) {
  const auto& dimensions = env.field_side_rules[field];
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [](const SideRules& rules) { return rules.low.fixed || rules.high.fixed; });
}

bool is_empty(const std::vector<ir::Affine>& facts, const ir::Range& range) {
  return decide(facts, range.high - range.low) == Verdict::Fails;
}

// True if the value may be computed before the first step: it uses neither the step nor a field.
bool known_before_steps(const Environment& env, const ast::Expr& value) {
  bool known = true;
  for_each_free_name(value, [&](const std::string& name, Span) {
    if (name == "time") known = false;
    const auto declared = env.names.find(name);
    if (declared == env.names.end()) return;
    if (declared->second.kind == Declared::Field) known = false;
    if (declared->second.kind != Declared::Function || declared->second.broken) return;
    const ast::Function& function = *env.functions[declared->second.index].syntax;
    if (function.name.name != name) return;
    known = known && known_before_steps(env, *function.value);
    for (const ast::Let& let : function.lets) known = known && known_before_steps(env, *let.value);
  });
  return known;
}

bool known_before_steps(const Environment& env, ir::FieldId field) {
  const auto known = [&](const SideRule& side) {
    return !side.fixed || known_before_steps(env, *side.value);
  };
  const auto& dimensions = env.field_side_rules[field];
  return std::all_of(dimensions.begin(), dimensions.end(),
                     [&](const SideRules& rules) { return known(rules.low) && known(rules.high); });
}

// One leaf per component of `type`, in types that a select can combine. A value of another shape is
// left for store() to report.
Value spread(Elaborator& elaborator, Value value, const Type& type) {
  const auto count = static_cast<size_t>(type.components);
  if (value.leaves.size() == 1) value.leaves.assign(count, Leaf(value.leaves[0]));
  if (value.leaves.size() != count) return value;
  return settled(elaborator.arithmetic(), std::move(value), type);
}

}  // namespace

ir::Box without_fixed_edges(Environment& env, const Targets& targets, const ir::Box& region) {
  const ir::Box& domain = env.program.fields[targets.fields[0]].box;
  ir::Box rest = region;
  for (size_t d = 0; d < rest.ranges.size(); ++d) {
    for (const bool low : {true, false}) {
      const bool fixed = std::all_of(targets.fields.begin(), targets.fields.end(),
                                     [&](ir::FieldId f) { return is_fixed(env, f, d, low); });
      ir::Affine& bound = low ? rest.ranges[d].low : rest.ranges[d].high;
      const ir::Affine& edge = low ? domain.ranges[d].low : domain.ranges[d].high;
      if (fixed && bound == edge) bound = low ? bound + 1 : bound - 1;
    }
    if (is_empty(env.facts, rest.ranges[d])) return region;
  }
  return rest;
}

Value with_fixed_edges(const Environment& env, const Targets& targets, Elaborator& elaborator,
                       Value value, Span span) {
  const bool none = std::none_of(targets.fields.begin(), targets.fields.end(),
                                 [&](ir::FieldId field) { return has_fixed_sides(env, field); });
  if (none || !value.ok()) return value;
  value = spread(elaborator, std::move(value), *targets.type);
  if (value.leaves.size() != static_cast<size_t>(targets.type->components)) return value;
  value.type = targets.type;
  size_t base = 0;
  for (const ir::FieldId field : targets.fields) {
    const size_t count = env.program.fields[field].components.size();
    if (has_fixed_sides(env, field)) {
      Value own = elaborator.at_point(field, span);  // components that are not targets keep this
      if (!own.ok()) return {};
      for (size_t c = 0; c < count; ++c) {
        if (targets.from[base + c]) own.leaves[c] = value.leaves[*targets.from[base + c]];
      }
      own = elaborator.at_fixed_edges(field, std::move(own), span);
      if (!own.ok()) return {};
      for (size_t c = 0; c < count; ++c) {
        if (targets.from[base + c]) value.leaves[*targets.from[base + c]] = own.leaves[c];
      }
    }
    base += count;
  }
  return value;
}

std::optional<std::vector<ir::Box>> fixed_edges_left(Environment& env, const Targets& targets,
                                                     const ir::Function& function) {
  std::vector<ir::FieldId> first;  // fields with a component that no earlier function stores
  size_t base = 0;
  for (const ir::FieldId field : targets.fields) {
    const size_t count = env.program.fields[field].components.size();
    bool stores = false;
    for (size_t c = 0; c < count && has_fixed_sides(env, field); ++c) {
      stores |= targets.from[base + c] && env.edges_stored.insert({field, c}).second;
    }
    if (stores) first.push_back(field);
    base += count;
  }
  std::vector<ir::Box> edges;
  if (first.empty()) return edges;
  const ir::Box domain = env.program.fields[first[0]].box;
  std::vector<ir::Box> taken;
  for (const ir::Piece& piece : function.pieces) taken.push_back(piece.region);
  // One side after the other: its edge points that no earlier side has and that no piece writes.
  ir::Box rest = domain;
  for (size_t d = 0; d < domain.ranges.size(); ++d) {
    for (const bool low : {true, false}) {
      const bool fixed = std::any_of(first.begin(), first.end(), [&](ir::FieldId field) {
        return is_fixed(env, field, d, low);
      });
      if (!fixed) continue;
      ir::Affine& bound = low ? rest.ranges[d].low : rest.ranges[d].high;
      ir::Box side = rest;
      side.ranges[d] = {bound, bound};
      const auto left = boxes_left(env, side, taken, function.span, "the fixed edge points");
      if (!left) return std::nullopt;
      edges.insert(edges.end(), left->begin(), left->end());
      bound = low ? bound + 1 : bound - 1;
      if (is_empty(env.facts, rest.ranges[d])) return edges;
    }
  }
  return edges;
}

Value with_fixed_edges(const Environment& env, ir::FieldId field, Elaborator& elaborator,
                       Value value, Span span) {
  if (!has_fixed_sides(env, field) || !value.ok() || !known_before_steps(env, field)) return value;
  const Type& type = *env.field_types[field];
  value = spread(elaborator, std::move(value), type);
  if (value.leaves.size() != static_cast<size_t>(type.components)) return value;
  value.type = env.field_types[field];
  return elaborator.at_fixed_edges(field, std::move(value), span);
}

void init_fixed_edges(Environment& env) {
  for (size_t f = 0; f < env.field_side_rules.size(); ++f) {
    const ir::FieldId id = static_cast<int>(f);
    const ir::Field& field = env.program.fields[id];
    if (!has_fixed_sides(env, id) || !known_before_steps(env, id)) continue;
    bool starts_at_zero = !ir::has_initial_value(env.program, id);
    Value value{env.field_types[id], {}};
    for (size_t c = 0; c < field.components.size(); ++c) {
      starts_at_zero = starts_at_zero && !ir::is_read_only(env.program, id, static_cast<int>(c));
      value.leaves.push_back(Constant::of_typed(arithmetic_type(field.components[c].type), 0));
    }
    if (!starts_at_zero) continue;
    ir::Init init{id, {}};
    init.piece.region = field.box;
    init.piece.span = field.span;
    init.piece.index_names.resize(field.box.ranges.size());
    Elaborator elaborator(env, kInitSite, init.piece.graph);
    elaborator.at_points_of(field);
    value = elaborator.at_fixed_edges(id, std::move(value), field.span);
    const auto stored = elaborator.arithmetic().store(value, *env.field_types[id], field.span);
    if (!stored) return;
    init.piece.results = *stored;
    env.program.inits.push_back(std::move(init));
  }
}

void check_fixed_fields(Environment& env) {
  std::unordered_set<ir::FieldId> written;
  for (const ir::Function& function : env.program.functions) {
    written.insert(function.targets.begin(), function.targets.end());
  }
  for (size_t f = 0; f < env.program.fields.size(); ++f) {
    const ir::FieldId id = static_cast<int>(f);
    if (f >= env.field_side_rules.size() || !has_fixed_sides(env, id) || written.count(id))
      continue;
    const ir::Field& field = env.program.fields[id];
    Diagnostic& error = env.report.error(
        "S092", field.span,
        fmt::format("'{}' has a fixed edge, but no stencil function writes it", field.name));
    error.expected = "a field that a stencil function writes";
    error.hint = "give the edge points their values by init, and use 'odd', 'mirror' or 'clamp'";
  }
}

}  // namespace stencil::sema
