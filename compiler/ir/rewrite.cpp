// The traversal of all passes that change expressions: a loop over the nodes of each graph in
// topological order, which rebuilds the graph through its hash-consing `add`. Nodes that no root
// needs are not copied, so every rewrite also removes dead code.
#include "compiler/ir/rewrite.h"

namespace stencil::ir {

const std::vector<NodeId>& operands(const Node& node) {
  static const std::vector<NodeId> kNone;
  const auto* operation = std::get_if<Operation>(&node.kind);
  return operation ? operation->operands : kNone;
}

std::vector<bool> reachable(const Graph& graph, const std::vector<NodeId>& roots) {
  std::vector<bool> needed(static_cast<size_t>(graph.size()), false);
  for (NodeId root : roots) needed[root] = true;
  for (NodeId id = graph.size() - 1; id >= 0; --id) {
    if (!needed[id]) continue;
    for (NodeId operand : operands(graph[id])) needed[operand] = true;
  }
  return needed;
}

std::vector<std::pair<NodeId, const Access*>> accesses(const Graph& graph,
                                                       const std::vector<NodeId>& roots) {
  const std::vector<bool> needed = reachable(graph, roots);
  std::vector<std::pair<NodeId, const Access*>> out;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const auto* access = std::get_if<Access>(&graph[id].kind);
    if (access && needed[id]) out.emplace_back(id, access);
  }
  return out;
}

NodeId copy_nodes(const Graph& graph, NodeId root, Graph& out) {
  const std::vector<bool> needed = reachable(graph, {root});
  std::vector<NodeId> copies(static_cast<size_t>(graph.size()), 0);
  for (NodeId id = 0; id <= root; ++id) {
    if (!needed[id]) continue;
    Node node = graph[id];
    if (auto* operation = std::get_if<Operation>(&node.kind)) {
      for (NodeId& operand : operation->operands) operand = copies[operand];
    }
    copies[id] = out.add(std::move(node));
  }
  return copies[root];
}

void rewrite_graph(Graph& graph, const std::vector<NodeId*>& roots, const NodeRewrite& rewrite) {
  std::vector<NodeId> root_ids;
  for (NodeId* root : roots) root_ids.push_back(*root);
  const std::vector<bool> needed = reachable(graph, root_ids);
  std::vector<NodeId> moved_to(static_cast<size_t>(graph.size()), -1);
  Graph out;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!needed[id]) continue;
    Node node = graph[id];
    if (auto* operation = std::get_if<Operation>(&node.kind)) {
      for (NodeId& operand : operation->operands) operand = moved_to[operand];
    }
    const std::string hint = node.hint;
    const NodeId moved = rewrite(out, std::move(node));
    if (!hint.empty()) out.name(moved, hint);
    moved_to[id] = moved;
  }
  for (NodeId* root : roots) *root = moved_to[*root];
  graph = std::move(out);
}

namespace {

void rewrite_piece(Piece& piece, const NodeRewrite& rewrite) {
  std::vector<NodeId*> roots;
  for (NodeId& result : piece.results) roots.push_back(&result);
  rewrite_graph(piece.graph, roots, rewrite);
}

}  // namespace

Program rewrite_graphs(Program program, const NodeRewrite& rewrite) {
  for (Function& function : program.functions) {
    for (Piece& piece : function.pieces) rewrite_piece(piece, rewrite);
  }
  for (Init& init : program.inits) rewrite_piece(init.piece, rewrite);
  for (Reduction& reduction : program.reductions) rewrite_piece(reduction.piece, rewrite);
  if (program.run.until)
    rewrite_graph(program.run.until->graph, {&program.run.until->condition}, rewrite);
  for (Requirement& requirement : program.requirements) {
    rewrite_graph(requirement.graph, {&requirement.condition}, rewrite);
  }
  for (Domain& domain : program.domains) {
    for (Axis& axis : domain.axes) {
      rewrite_graph(axis.graph, {&axis.origin, &axis.spacing, &axis.admissible}, rewrite);
    }
  }
  return program;
}

Program drop_dead_nodes(const Program& program) {
  return rewrite_graphs(program, [](Graph& out, Node node) { return out.add(std::move(node)); });
}

}  // namespace stencil::ir
