// The pass that replaces rules which are not plain. Every access to a field with such a rule
// becomes the nodes that compute its value (expand_boundary.cpp).
//
// Fixed edge points are also stored: in the results of functions and in initial values, the value
// of the rule replaces the computed value there. Reads do not depend on this, because they take the
// value of the rule. It makes arrays, files and pictures show it.
#include "compiler/ir/lower/boundaries.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "compiler/ir/region.h"
#include "compiler/ir/rewrite.h"

namespace stencil::ir {
namespace {

using Values = BoundaryExpander::Values;

// The place of a graph in the step, relative to the reductions.
struct Reader {
  std::optional<size_t> function = {};
  std::optional<ReductionId> reduction = {};
};

// Semantic analysis has proved or checked all conditions, so nothing is refused here.
class ProvedBounds final : public AccessBounds {
 public:
  // `within`: a box of `domain` that contains the region.
  ProvedBounds(const Program& program, const Box& region, const Box& within, DomainId domain,
               Reader reader)
      : program_(program),
        reader_(reader),
        bounds_(program, program.facts, region, {&within, &program.domains[domain].box}) {}

  std::optional<uint32_t> escapes(const Access& access, Span) override {
    return bounds_.escapes(access);
  }
  bool image_inside(const Access&, size_t, bool, int, Span) override { return true; }
  std::vector<Excess> excess(FieldId field) override { return bounds_.excess(field); }
  bool may_reach_edge(const Access& access, size_t d, bool low) override {
    return bounds_.may_reach_edge(access, d, low);
  }
  bool always_on_edge(const Access& access, size_t d, bool low) const override {
    return bounds_.always_on_edge(access, d, low);
  }
  // A profile advances at the place of its reduction. Above that place, the value of the previous
  // step is level 0.
  bool settle_level(Access& access, Span) override {
    const auto made = reduction_into(program_, access.field);
    if (!made || access.level == 0) return true;
    const bool above = reader_.function ? applied_before(program_, *reader_.function, *made)
                                        : reader_.reduction && *reader_.reduction <= *made;
    if (above) access.level = 0;
    return true;
  }
  Diagnostic& refuse(const char*, Span, const char*) override { return refused_; }

 private:
  const Program& program_;
  Reader reader_;
  RegionBounds bounds_;
  Diagnostic refused_;  // not reported
};

// An access without its component.
using Place = std::tuple<FieldId, int, std::vector<int>>;
Place place_of(const Access& access) {
  return {access.field, access.level, offsets_of(access.maps)};
}

bool reads_output(const Node& node, const Output& output) {
  const auto* access = std::get_if<Access>(&node.kind);
  return access && access->field == output.field && access->component == output.component &&
         access->level == 0 && access->at_point();
}

class PieceLowering {
 public:
  PieceLowering(const Program& program, const Piece& piece, AccessBounds* bounds, bool edges_stored)
      : program_(program),
        piece_(piece),
        expander_(program, out_, bounds, edges_stored),
        moved_(static_cast<size_t>(piece.graph.size()), kNotMoved) {}

  // `outputs`: what the results are written to; empty if edge points are not stored.
  Piece run(const std::vector<Output>& outputs, const Function* function) {
    find_present_values(outputs);
    for (NodeId id = 0; id < piece_.graph.size(); ++id) move(id);
    Piece result = piece_;
    for (NodeId& root : result.results) root = moved_[root];
    size_t first = 0;  // of the components of a field
    for (size_t r = 0; r < outputs.size(); r = first) {
      first = r + program_.fields[outputs[r].field].components.size();
      if (program_.fields[outputs[r].field].fixed()) {
        store_edges(outputs, function, r, first, result.results);
      }
    }
    result.graph = std::move(out_);
    return result;
  }

 private:
  static constexpr NodeId kNotMoved = -1;

  // Marks accesses whose only use is to keep the present value of an output, where a condition
  // fails. At fixed edge points the rule replaces this value anyway, so it needs no expansion.
  void find_present_values(const std::vector<Output>& outputs) {
    kept_.resize(static_cast<size_t>(piece_.graph.size()), false);
    std::vector<int> uses(kept_.size(), 0), keeps(kept_.size(), 0);
    const std::vector<bool> needed = reachable(piece_.graph, piece_.results);
    for (NodeId id = 0; id < piece_.graph.size(); ++id) {
      if (!needed[id]) continue;
      for (const NodeId operand : operands(piece_.graph[id])) ++uses[operand];
    }
    bool any = false;
    for (size_t r = 0; r < outputs.size(); ++r) {
      ++uses[piece_.results[r]];
      if (!program_.fields[outputs[r].field].fixed()) continue;
      any = true;
      count_keeps(piece_.results[r], outputs[r], keeps);
    }
    if (!any) return;
    for (size_t id = 0; id < kept_.size(); ++id) kept_[id] = keeps[id] > 0 && keeps[id] == uses[id];
  }

  void count_keeps(NodeId id, const Output& output, std::vector<int>& keeps) {
    const Node& node = piece_.graph[id];
    if (reads_output(node, output)) {
      ++keeps[id];
      return;
    }
    const auto* operation = std::get_if<Operation>(&node.kind);
    if (!operation) return;
    if (operation->op == Op::Convert) count_keeps(operation->operands[0], output, keeps);
    if (operation->op != Op::Select) return;
    count_keeps(operation->operands[1], output, keeps);
    count_keeps(operation->operands[2], output, keeps);
  }

  void move(NodeId id) {
    if (moved_[id] != kNotMoved) return;
    Node node = piece_.graph[id];
    const std::string hint = node.hint;
    if (auto* operation = std::get_if<Operation>(&node.kind)) {
      for (NodeId& operand : operation->operands) operand = moved_[operand];
    }
    const auto* access = std::get_if<Access>(&node.kind);
    const bool expands =
        access && !kept_[id] && needs_expansion(program_.fields[access->field], access->escapes);
    if (expands) return expand(*access, node.span);
    moved_[id] = out_.add(std::move(node));
    if (!hint.empty()) out_.name(moved_[id], hint);
  }

  // Expands the accesses to all components at one place together, so that they share nodes.
  void expand(Access access, Span span) {
    if (places_.empty()) {
      for (NodeId id = 0; id < piece_.graph.size(); ++id) {
        const auto* other = std::get_if<Access>(&piece_.graph[id].kind);
        if (other) places_[place_of(*other)].push_back(id);
      }
    }
    access.component = 0;
    const Values values = expander_.read(access, span);
    for (const NodeId id : places_[place_of(access)]) {
      if (moved_[id] != kNotMoved || kept_[id]) continue;
      moved_[id] = values[std::get<Access>(piece_.graph[id].kind).component];
      if (!piece_.graph[id].hint.empty()) out_.name(moved_[id], piece_.graph[id].hint);
    }
  }

  // The result with the present values of the output as they are stored.
  NodeId as_stored(NodeId id, const Output& output) {
    const Node& node = piece_.graph[id];
    if (reads_output(node, output)) return out_.add(Node{node});
    const auto* operation = std::get_if<Operation>(&node.kind);
    if (operation && operation->op == Op::Convert) {
      const NodeId operand = as_stored(operation->operands[0], output);
      return out_.add({Operation{Op::Convert, {operand}}, node.type, node.span, node.hint});
    }
    if (!operation || operation->op != Op::Select) return moved_[id];
    const NodeId yes = as_stored(operation->operands[1], output);
    const NodeId no = as_stored(operation->operands[2], output);
    return out_.add({Operation{Op::Select, {moved_[operation->operands[0]], yes, no}}, node.type,
                     node.span, node.hint});
  }

  // Replaces results first..end, those of one field, by the values of fixed sides at edge points.
  void store_edges(const std::vector<Output>& outputs, const Function* function, size_t first,
                   size_t end, std::vector<NodeId>& results) {
    const FieldId field = outputs[first].field;
    Values values;
    for (size_t r = first; r < end; ++r) {
      NodeId value = as_stored(piece_.results[r], outputs[r]);
      const auto* operation = std::get_if<Operation>(&out_[value].kind);
      const bool converted =
          operation && operation->op == Op::Convert && is_storage(outputs[r].type);
      values.push_back(converted ? operation->operands[0] : value);
    }
    const Span span = piece_.graph[piece_.results[first]].span;
    const std::vector<int> here(program_.fields[field].box.ranges.size(), 0);
    const Access point{field, 0, 0, shifts(here), 0};
    const Values held = expander_.hold_edges(point, here, values, span);
    for (size_t r = first; r < end; ++r) {
      if (function && function->keeps(r)) {
        results[r] = as_stored(piece_.results[r], outputs[r]);
        continue;
      }
      NodeId value = held[r - first];
      if (out_[value].type != outputs[r].type) {
        value = out_.add({Operation{Op::Convert, {value}}, outputs[r].type, span, {}});
      }
      results[r] = value;
    }
  }

  const Program& program_;
  const Piece& piece_;
  Graph out_;
  BoundaryExpander expander_;
  std::vector<NodeId> moved_;  // by NodeId of the piece
  std::vector<bool> kept_;     // by NodeId of the piece (find_present_values)
  std::map<Place, std::vector<NodeId>> places_;
};

std::vector<Output> outputs_of(const Program& program, FieldId field) {
  Function one;
  one.targets = {field};
  return outputs(program, one);
}

// The initial value of a field that has none in the program: 0, except at fixed edge points.
std::optional<Init> edges_from_zero(const Program& program, FieldId id) {
  const Field& field = program.fields[id];
  if (!field.fixed() || !fixed_before_steps(field) || has_initial_value(program, id)) {
    return std::nullopt;
  }
  Init init{id, {}};
  init.piece.region = field.box;
  init.piece.span = field.span;
  init.piece.index_names.resize(field.box.ranges.size());
  for (size_t c = 0; c < field.components.size(); ++c) {
    if (is_read_only(program, id, static_cast<int>(c))) return std::nullopt;
    const Scalar type = arithmetic_type(field.components[c].type);
    NodeId zero = init.piece.graph.add({Constant{}, type, field.span, {}});
    if (is_storage(field.components[c].type)) {
      zero = init.piece.graph.add(
          {Operation{Op::Convert, {zero}}, field.components[c].type, field.span, {}});
    }
    init.piece.results.push_back(zero);
  }
  init.piece = with_fixed_edges(program, id, std::move(init.piece));
  return init;
}

void make_plain(BoundaryRule& rule, size_t components) {
  if (rule.plain()) return;
  const BoundaryKind kind = rule.stored();
  const bool constant = kind == BoundaryKind::Constant;
  rule = {kind, std::vector<double>(constant ? components : 0, 0), nullptr};
}

}  // namespace

bool fixed_before_steps(const Field& field) {
  const auto known = [](const BoundaryRule& rule) {
    if (!rule.fixed() || !rule.value) return true;
    const auto& [graph, results] = *rule.value;
    const std::vector<bool> needed = reachable(graph, results);
    for (NodeId id = 0; id < graph.size(); ++id) {
      const bool changes = std::holds_alternative<Time>(graph[id].kind) ||
                           std::holds_alternative<Access>(graph[id].kind);
      if (needed[id] && changes) return false;
    }
    return true;
  };
  return std::all_of(field.boundary.begin(), field.boundary.end(),
                     [&](const Boundary& rules) { return known(rules.low) && known(rules.high); });
}

Piece with_fixed_edges(const Program& program, FieldId field, Piece init) {
  if (!program.fields[field].fixed() || !fixed_before_steps(program.fields[field])) return init;
  return PieceLowering(program, init, nullptr, false).run(outputs_of(program, field), nullptr);
}

Program lower_boundaries(const Program& program) {
  Program out = program;
  for (size_t f = 0; f < out.functions.size(); ++f) {
    const Function& function = program.functions[f];
    const std::vector<Output> results = outputs(program, function);
    for (size_t p = 0; p < function.pieces.size(); ++p) {
      const Piece& piece = function.pieces[p];
      ProvedBounds bounds(program, piece.region, target_box(program, function), function.domain,
                          {f, {}});
      out.functions[f].pieces[p] =
          PieceLowering(program, piece, &bounds, false).run(results, &function);
    }
  }
  for (size_t r = 0; r < program.reductions.size(); ++r) {
    const Reduction& reduction = program.reductions[static_cast<ReductionId>(r)];
    ProvedBounds bounds(program, reduction.piece.region, program.domains[reduction.domain].box,
                        reduction.domain, {{}, static_cast<ReductionId>(r)});
    out.reductions[static_cast<ReductionId>(r)].piece =
        PieceLowering(program, reduction.piece, &bounds, reduction.at.has_value()).run({}, nullptr);
  }
  for (Init& init : out.inits) {
    init.piece = with_fixed_edges(program, init.field, std::move(init.piece));
  }
  for (size_t f = 0; f < program.fields.size(); ++f) {
    if (auto init = edges_from_zero(program, static_cast<FieldId>(f))) {
      out.inits.push_back(std::move(*init));
    }
  }
  for (Field& field : out.fields) {
    for (Boundary& rules : field.boundary) {
      make_plain(rules.low, field.components.size());
      make_plain(rules.high, field.components.size());
    }
  }
  return out;
}

}  // namespace stencil::ir
