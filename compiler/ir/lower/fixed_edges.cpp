// The pass that gives fixed edge points pieces of their own. Semantic analysis runs the functions
// on boxes as well: it reports edge points that depend on params (S049).
#include "compiler/ir/lower/fixed_edges.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/region.h"

namespace stencil::ir {
namespace {

bool is_fixed(const Program& program, FieldId field, size_t d, bool low) {
  return program.fields[field].boundary[d].side(low).fixed();
}

bool is_empty(const std::vector<Affine>& facts, const Range& range) {
  return decide(facts, range.high - range.low) == Verdict::Fails;
}

// Whether one of the first `count` functions computes the component.
bool computed_before(const Program& program, size_t count, const Output& component) {
  for (size_t f = 0; f < count; ++f) {
    const Function& function = program.functions[f];
    const std::vector<Output> results = outputs(program, function);
    for (size_t r = 0; r < results.size(); ++r) {
      const bool same =
          results[r].field == component.field && results[r].component == component.component;
      if (same && !function.keeps(r)) return true;
    }
  }
  return false;
}

// The targets that have a fixed side, and a component that no earlier function computes.
std::vector<FieldId> first_written(const Program& program, const Function& function,
                                   size_t earlier) {
  std::vector<FieldId> first;
  const std::vector<Output> results = outputs(program, function);
  for (size_t r = 0; r < results.size(); ++r) {
    const FieldId field = results[r].field;
    if (function.keeps(r) || !program.fields[field].fixed()) continue;
    const bool known = !first.empty() && first.back() == field;
    if (!known && !computed_before(program, earlier, results[r])) first.push_back(field);
  }
  return first;
}

// A piece that keeps the present values of all outputs.
Piece present_values(const Program& program, const Function& function, Box region) {
  Piece piece;
  piece.region = std::move(region);
  piece.index_names.resize(piece.region.ranges.size());
  piece.span = function.span;
  RegionBounds bounds(program, program.facts, piece.region,
                      {&program.domains[function.domain].box});
  const std::vector<Output> results = outputs(program, function);
  for (const Output& output : results) {
    const std::vector<int> here(piece.region.ranges.size(), 0);
    Access access{output.field, output.component, 0, shifts(here), 0};
    access.escapes = bounds.escapes(access);
    if (access.escapes != 0) access.excess = bounds.excess(output.field);
    piece.results.push_back(
        piece.graph.add({std::move(access), arithmetic_type(output.type), function.span, {}}));
  }
  for (size_t r = 0; r < results.size(); ++r) {
    const Scalar type = results[r].type;
    if (!is_storage(type)) continue;
    piece.results[r] =
        piece.graph.add({Operation{Op::Convert, {piece.results[r]}}, type, function.span, {}});
  }
  return piece;
}

}  // namespace

Box without_fixed_edges(const Program& program, const std::vector<Affine>& facts,
                        const std::vector<FieldId>& targets, const Box& region) {
  const Box& domain = program.fields[targets[0]].box;
  Box rest = region;
  for (size_t d = 0; d < rest.ranges.size(); ++d) {
    for (const bool low : {true, false}) {
      const bool fixed = std::all_of(targets.begin(), targets.end(), [&](FieldId field) {
        return is_fixed(program, field, d, low);
      });
      Affine& bound = low ? rest.ranges[d].low : rest.ranges[d].high;
      const Affine& edge = low ? domain.ranges[d].low : domain.ranges[d].high;
      if (fixed && bound == edge) bound = low ? bound + 1 : bound - 1;
    }
    if (is_empty(facts, rest.ranges[d])) return region;
  }
  return rest;
}

BoxesLeft fixed_edges_left(const Program& program, const std::vector<Affine>& facts,
                           const Function& function, size_t earlier) {
  BoxesLeft edges;
  const std::vector<FieldId> first = first_written(program, function, earlier);
  if (first.empty()) return edges;
  std::vector<Box> taken;
  for (const Piece& piece : function.pieces) {
    taken.push_back(without_fixed_edges(program, facts, function.targets, piece.region));
  }
  // One side after the other: its edge points that no earlier side has and that no piece writes.
  Box rest = target_box(program, function);
  for (size_t d = 0; d < rest.ranges.size(); ++d) {
    for (const bool low : {true, false}) {
      const bool fixed = std::any_of(first.begin(), first.end(), [&](FieldId field) {
        return is_fixed(program, field, d, low);
      });
      if (!fixed) continue;
      Affine& bound = low ? rest.ranges[d].low : rest.ranges[d].high;
      Box side = rest;
      side.ranges[d] = {bound, bound};
      BoxesLeft left = boxes_left(facts, side, taken);
      if (left.unclear) return left;
      edges.boxes.insert(edges.boxes.end(), left.boxes.begin(), left.boxes.end());
      bound = low ? bound + 1 : bound - 1;
      if (is_empty(facts, rest.ranges[d])) return edges;
    }
  }
  return edges;
}

Program split_fixed_edges(const Program& program) {
  Program out = program;
  for (size_t f = 0; f < out.functions.size(); ++f) {
    Function& function = out.functions[f];
    const BoxesLeft left = fixed_edges_left(program, program.facts, function, f);
    for (Piece& piece : function.pieces) {
      piece.region = without_fixed_edges(program, program.facts, function.targets, piece.region);
    }
    for (const Box& box : left.boxes) {
      function.pieces.push_back(present_values(program, function, box));
    }
  }
  return out;
}

}  // namespace stencil::ir
