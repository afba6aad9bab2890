// Rebuilding graphs: what the passes on the stencil IR share.
#pragma once

#include <functional>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

// The operands of a node; empty for leaves.
const std::vector<NodeId>& operands(const Node& node);

// True for every node that some root needs.
std::vector<bool> reachable(const Graph& graph, const std::vector<NodeId>& roots);

// The accesses that some root needs, with the nodes that they are, in order.
std::vector<std::pair<NodeId, const Access*>> accesses(const Graph& graph,
                                                       const std::vector<NodeId>& roots);

// Adds to `out` what stands for `node`, whose operands already refer to `out`; returns its id
// there.
using NodeRewrite = std::function<NodeId(Graph& out, Node node)>;

// Replaces one graph; the roots follow.
void rewrite_graph(Graph& graph, const std::vector<NodeId*>& roots, const NodeRewrite& rewrite);

// Replaces every graph of the program by one in which each node that a root needs has gone through
// `rewrite`, operands first. Roots (results, conditions) follow.
// The derivations of params stay: they are computed as written.
Program rewrite_graphs(Program program, const NodeRewrite& rewrite);

}  // namespace stencil::ir
