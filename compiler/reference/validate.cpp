// The checks that make the interpreter's row loops memory-safe for every program, however it was
// made. Semantic analysis proves all of this with better messages. If a compiler bug lets an error
// through, it must end in an error here and not in a wrong number, because the interpreter is the
// oracle.
//
// Over a box, an access reaches furthest at the corners, where mirrored accesses also resolve
// furthest away. Comparing bounds once per access is therefore exact.
#include "compiler/reference/validate.h"

#include "compiler/reference/access.h"
#include "compiler/reference/kernels.h"

namespace stencil::reference {
namespace {

bool inside(const ConcreteBox& inner, const ConcreteBox& outer) {
  for (size_t d = 0; d < inner.size(); ++d) {
    if (inner[d][0] < outer[d][0] || inner[d][1] > outer[d][1]) return false;
  }
  return true;
}

bool is_constant(const ir::BoundaryRule& rule) {
  return rule.kind == ir::BoundaryKind::Constant;
}

std::string access_refusal(const ir::Program& program, const State& state, const ir::Access& access,
                           const ConcreteBox& region) {
  const ir::Field& field = program.fields[access.field];
  const FieldData& data = state.fields[access.field];
  if (access.level < 0 || access.level >= field.history) {
    return "no level " + std::to_string(access.level) + " of field '" + field.name + "'";
  }
  if (access.component < 0 || access.component >= data.component_count()) {
    return "no component " + std::to_string(access.component) + " of field '" + field.name + "'";
  }
  const size_t rank = field.read_in_place() ? field.dimensions().size() : region.size();
  if (access.maps.size() != rank || data.extents.size() != rank || field.boundary.size() != rank) {
    return "an access to field '" + field.name + "' has the wrong rank";
  }
  for (const ir::Boundary& rules : field.boundary) {
    for (const ir::BoundaryRule* rule : {&rules.low, &rules.high}) {
      if (is_constant(*rule) && rule->values.size() != field.components.size()) {
        return "field '" + field.name + "' lacks boundary values";
      }
    }
  }
  if (count_points(region) == 0) return "";
  for (size_t d = 0; d < rank; ++d) {
    const bool constant = is_constant(field.boundary[d].low) && is_constant(field.boundary[d].high);
    if (data.extents[d] == 0 && !constant) {
      return "field '" + field.name + "' is read but has no points";
    }
    if (field.dimension(d) == ir::kPoints) continue;
    if (field.dimension(d) == ir::kTime) continue;  // ir::StepLimit
    for (const int64_t bound : region[field.dimension(d)]) {
      const int64_t index = access.maps[d].of(bound) - data.box[d][0];
      const Resolved resolved = resolve(field.boundary[d], index, data.extents[d]);
      if (resolved.index < 0 && !is_constant(*resolved.rule)) {
        return "an access to field '" + field.name + "' leaves the field";
      }
    }
  }
  return "";
}

std::string operation_refusal(const ir::Graph& graph, const ir::Node& node,
                              const ir::Operation& operation) {
  std::vector<Scalar> types;
  for (const ir::NodeId operand : operation.operands) types.push_back(graph[operand].type);
  if (kernel_for(operation.op, node.type, types) != nullptr) return "";
  return "operator '" + std::string(name(operation.op)) + "' is not defined for its operands";
}

std::string graph_refusal(const ir::Program& program, const State& state, const ir::Graph& graph,
                          const ConcreteBox& region) {
  for (const ir::Node& node : graph.nodes()) {
    std::string reason;
    if (const auto* access = std::get_if<ir::Access>(&node.kind)) {
      reason = access_refusal(program, state, *access, region);
    } else if (const auto* operation = std::get_if<ir::Operation>(&node.kind)) {
      reason = operation_refusal(graph, node, *operation);
    } else if (const auto* index = std::get_if<ir::Index>(&node.kind)) {
      if (index->dimension < 0 || index->dimension >= static_cast<int>(region.size())) {
        reason = "an index of a dimension that does not exist";
      }
    }
    if (!reason.empty()) return reason;
  }
  return "";
}

// `targets` are the fields that the piece writes, which have the same box; may be empty.
std::string piece_refusal(const ir::Program& program, const State& state, const ir::Piece& piece,
                          const std::vector<const FieldData*>& targets) {
  const std::optional<ConcreteBox> region = concrete(piece.region, state.integer_params);
  if (!region || !count_points(*region)) return "the size of a region overflows";
  const bool empty = *count_points(*region) == 0;
  size_t result = 0;
  for (const FieldData* target : targets) {
    if (region->size() != target->box.size()) return "a region has the wrong rank";
    for (size_t c = 0; c < target->types.size(); ++c, ++result) {
      if (result >= piece.results.size()) return "a piece lacks results";
      if (piece.graph[piece.results[result]].type != target->types[c])
        return "a result has a wrong type";
    }
    if (!empty && !inside(*region, target->box)) return "a region leaves its field";
  }
  if (!targets.empty() && result != piece.results.size()) return "a piece has too many results";
  return graph_refusal(program, state, piece.graph, *region);
}

// A record must have a column for every point of its set, and the set must be restricted to the
// record's region.
std::string record_refusal(const ir::Program& program, const State& state,
                           const ir::Reduction& record) {
  const FieldData& data = state.fields[*record.target];
  const Scalar type = ir::value_type(record);
  if (!is_float(type) || data.types != std::vector<Scalar>{type}) {
    return "a result has a wrong type";
  }
  const ir::PointSet* set = program.fields[*record.at].as_point_set();
  const bool lie_there = program.origin.subdomain || (set && set->within == record.piece.region);
  if (!set || !lie_there || data.box.size() != 2 ||
      data.extents[1] != state.fields[*record.at].points) {
    return "it does not match its point set";
  }
  return "";
}

// The profile of a reduction must have an element for every index of the region.
std::string profile_refusal(const ir::Program& program, const State& state,
                            const ir::Reduction& reduction) {
  const std::optional<ConcreteBox> region = concrete(reduction.piece.region, state.integer_params);
  const ir::Field& field = program.fields[*reduction.target];
  const FieldData& data = state.fields[*reduction.target];
  if (data.types != std::vector<Scalar>{ir::value_type(reduction)})
    return "a result has a wrong type";
  if (field.dimensions().size() != data.box.size()) return "its profile has the wrong rank";
  for (size_t d = 0; d < data.box.size(); ++d) {
    const auto of_grid = static_cast<size_t>(field.dimensions()[d]);
    const bool known = of_grid < region->size();
    if (known && program.origin.subdomain) continue;  // a subdomain computes only some of them
    if (!known || (*region)[of_grid] != data.box[d]) {
      return "the bounds of its profile differ from those of its region";
    }
  }
  return "";
}

}  // namespace

std::string refusal(const ir::Program& program, const State& state) {
  std::string reason;
  for (const ir::Function& function : program.functions) {
    std::vector<const FieldData*> targets;
    for (const ir::FieldId target : function.targets) targets.push_back(&state.fields[target]);
    for (const ir::Piece& piece : function.pieces) {
      reason = piece_refusal(program, state, piece, targets);
      if (!reason.empty()) return "function '" + function.name + "': " + reason;
    }
  }
  for (const ir::Init& init : program.inits) {
    const FieldData& field = state.fields[init.field];
    reason = piece_refusal(program, state, init.piece, {&field});
    if (reason.empty() && concrete(init.piece.region, state.integer_params) != field.box) {
      reason = "it leaves points without a value";
    }
    if (!reason.empty()) return "init of '" + program.fields[init.field].name + "': " + reason;
  }
  for (const ir::Reduction& reduction : program.reductions) {
    reason = reduction.every < 1 ? "its interval must be at least 1 step"
                                 : piece_refusal(program, state, reduction.piece, {});
    if (reason.empty() && reduction.target) {
      reason = reduction.at ? record_refusal(program, state, reduction)
                            : profile_refusal(program, state, reduction);
    }
    if (!reason.empty()) return "reduction '" + reduction.name + "': " + reason;
  }
  if (program.run.until) {
    reason = graph_refusal(program, state, program.run.until->graph, {});
    if (!reason.empty()) return "stop condition: " + reason;
  }
  return "";
}

}  // namespace stencil::reference
