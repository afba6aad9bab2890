// Rebuilds graphs; shared by the passes on the stencil IR.
#pragma once

#include <functional>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

// The operands of a node; empty for leaves.
const std::vector<NodeId>& operands(const Node& node);

// By NodeId: true if some root needs the node.
std::vector<bool> reachable(const Graph& graph, const std::vector<NodeId>& roots);

// The accesses that some root needs, with their node ids, in order of the ids.
std::vector<std::pair<NodeId, const Access*>> accesses(const Graph& graph,
                                                       const std::vector<NodeId>& roots);

// Adds the nodes that `root` needs to `out`. Returns the copy of `root`.
NodeId copy_nodes(const Graph& graph, NodeId root, Graph& out);

// Adds the replacement of `node` to `out` and returns its id there. The operands of `node` already
// refer to `out`.
using NodeRewrite = std::function<NodeId(Graph& out, Node node)>;

// Rebuilds one graph through `rewrite` and updates the roots.
void rewrite_graph(Graph& graph, const std::vector<NodeId*>& roots, const NodeRewrite& rewrite);

// Rebuilds every graph of the program. Each node that a root needs goes through `rewrite`, operands
// first; roots (results, conditions) are updated. The derivations of params are left unchanged,
// because they are evaluated as written.
Program rewrite_graphs(Program program, const NodeRewrite& rewrite);

}  // namespace stencil::ir
