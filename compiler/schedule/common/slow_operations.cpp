#include "compiler/schedule/common/slow_operations.h"

#include "compiler/ir/rewrite.h"
#include "compiler/ir/uniform.h"
#include "compiler/support/division.h"

namespace stencil::schedule {

namespace {

// For each node, whether its value depends on a field.
std::vector<bool> reads_fields(const ir::Graph& graph) {
  std::vector<bool> out(static_cast<size_t>(graph.size()), false);
  for (ir::NodeId id = 0; id < graph.size(); ++id) {
    bool reads = std::holds_alternative<ir::Access>(graph[id].kind);
    if (const auto* operation = std::get_if<ir::Operation>(&graph[id].kind)) {
      for (const ir::NodeId operand : operation->operands) {
        reads = reads || out[operand];
      }
    }
    out[id] = reads;
  }
  return out;
}

}  // namespace

SlowOperations slow_operations(const ir::Graph& graph, const std::vector<ir::NodeId>& results,
                               FpMode fp) {
  const auto needed = ir::reachable(graph, results);
  const ir::Uniformity kinds = ir::uniformity(graph);
  const std::vector<bool> reads = reads_fields(graph);
  SlowOperations out;
  for (ir::NodeId id = 0; id < graph.size(); ++id) {
    const auto* operation = std::get_if<ir::Operation>(&graph[id].kind);
    const Scalar type = graph[id].type;
    if (!operation || !needed[id] || !is_float(type)) continue;
    if (kinds.computed_once(graph, id)) continue;
    if (operation->op == Op::Div && fp != FpMode::Fast) {
      const auto* divisor = std::get_if<ir::Constant>(&graph[operation->operands[1]].kind);
      if (const auto form = divisor ? multiply_out(divisor->real, type) : std::nullopt) {
        if (form->kind != MultipliedDivision::Kind::Exact) ++out.multiplied;
        continue;
      }
    }
    const bool quick = fp == FpMode::Fast && type == Scalar::F32;
    const bool division =
        operation->op == Op::Div || operation->op == Op::Sqrt || operation->op == Op::Rsqrt;
    if ((!division || quick) && !is_transcendental(operation->op)) continue;
    ++out.calls;
    if (!reads[id]) ++out.placed_calls;
  }
  return out;
}

}  // namespace stencil::schedule
