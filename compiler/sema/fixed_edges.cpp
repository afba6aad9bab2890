// Regions at fixed edge points. The first function of a step that writes a component of a field
// also writes it at all fixed edge points. Points that its regions leave out become pieces of their
// own. A region that begins at a fixed edge loses the edge points, so the interior is computed by a
// piece whose neighbours need no select. Lowering stores the values (ir/lower/boundaries.cpp).
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
  return env.program.fields[field].boundary[d].side(low).fixed();
}

bool is_empty(const std::vector<ir::Affine>& facts, const ir::Range& range) {
  return decide(facts, range.high - range.low) == Verdict::Fails;
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

std::optional<std::vector<ir::Box>> fixed_edges_left(Environment& env, const Targets& targets,
                                                     const ir::Function& function) {
  std::vector<ir::FieldId> first;  // fields with a component that no earlier function stores
  size_t base = 0;
  for (const ir::FieldId field : targets.fields) {
    const size_t count = env.program.fields[field].components.size();
    bool stores = false;
    for (size_t c = 0; c < count && env.program.fields[field].fixed(); ++c) {
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

void check_fixed_fields(Environment& env) {
  std::unordered_set<ir::FieldId> written;
  for (const ir::Function& function : env.program.functions) {
    written.insert(function.targets.begin(), function.targets.end());
  }
  for (size_t f = 0; f < env.program.fields.size(); ++f) {
    const ir::FieldId id = static_cast<int>(f);
    const ir::Field& field = env.program.fields[id];
    if (!field.fixed() || written.count(id)) continue;
    Diagnostic& error = env.report.error(
        "S092", field.span,
        fmt::format("'{}' has a fixed edge, but no stencil function writes it", field.name));
    error.expected = "a field that a stencil function writes";
    error.hint = "give the edge points their values by init, and use 'odd', 'mirror' or 'clamp'";
  }
}

}  // namespace stencil::sema
