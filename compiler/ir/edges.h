// Conditions on the distance of a point from an edge of the grid. Boundary rules that are computed
// become selects with such conditions (lower/boundaries.h), and programs contain them as well. A
// schedule that computes the inside of the grid apart decides them at compile time.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/congruence.h"
#include "compiler/ir/program.h"

namespace stencil::ir {

// A node that is true, or if `inverted` false, only at points next to one edge.
struct EdgeCondition {
  NodeId node = 0;
  int dimension = 0;
  bool low = true;     // the edge
  int64_t within = 0;  // only among this number of points from the edge
  int64_t first = 0;   // at all of this number of points from the edge
  bool inverted = false;

  bool value_inside() const { return inverted; }
};

// The conditions of a graph that compare a coordinate with a place near an edge of the first domain
// of `program`. Near: at most eight points away.
std::vector<EdgeCondition> edge_conditions(const Program& program, const Graph& graph);

// The graph at points where no condition is met. It has only the nodes that its results need there.
Residual away_from_edges(const Graph& graph, const std::vector<NodeId>& results,
                         const std::vector<EdgeCondition>& conditions);

// By node and dimension: the points next to the edges at which the value of the node is not used,
// because selects choose the other operand there.
using Unused = std::vector<std::vector<Excess>>;
Unused unused_at_edges(const Graph& graph, const std::vector<NodeId>& results, size_t rank,
                       const std::vector<EdgeCondition>& conditions);

// The access without the sides on which it leaves its field only where its value is not used.
Access used_part(const Program& program, Access access, const std::vector<Excess>& unused);

}  // namespace stencil::ir
