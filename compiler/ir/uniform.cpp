// One pass over the nodes in topological order: a value is uniform if all its operands are.
#include "compiler/ir/uniform.h"

#include "compiler/ir/rewrite.h"

namespace stencil::ir {

namespace {

bool is_uniform_leaf(const Node& node) {
  struct Visitor {
    bool operator()(const Constant&) const { return true; }
    bool operator()(const ParamRef&) const { return true; }
    bool operator()(const Time&) const { return true; }
    bool operator()(const Index&) const { return false; }
    bool operator()(const ReductionRef&) const { return true; }
    bool operator()(const Access& access) const { return access.per_step; }
    bool operator()(const Operation&) const { return true; }  // its operands decide
  };
  return std::visit(Visitor{}, node.kind);
}

}  // namespace

Uniformity uniformity(const Graph& graph) {
  Uniformity out;
  for (const Node& node : graph.nodes()) {
    bool uniform = is_uniform_leaf(node);
    const auto* operation = std::get_if<Operation>(&node.kind);
    bool known = std::holds_alternative<Constant>(node.kind) ||
                 (operation && !is_transcendental(operation->op));
    bool timed = std::holds_alternative<Time>(node.kind) ||
                 std::holds_alternative<ReductionRef>(node.kind) ||
                 std::holds_alternative<Access>(node.kind);
    for (NodeId operand : operands(node)) {
      uniform = uniform && out.uniform[operand];
      known = known && out.known[operand];
      timed = timed || out.timed[operand];
    }
    out.uniform.push_back(uniform);
    out.known.push_back(known);
    out.timed.push_back(timed);
  }
  return out;
}

bool Uniformity::computed_once(const Graph& graph, NodeId id) const {
  const Node& node = graph[id];
  const bool computed =
      std::holds_alternative<Operation>(node.kind) || std::holds_alternative<Access>(node.kind);
  return uniform[id] && computed && !is_storage(node.type);
}

}  // namespace stencil::ir
