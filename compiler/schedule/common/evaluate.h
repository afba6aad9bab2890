// The value of a piece at a point, as kernel expressions.
#pragma once

#include <functional>
#include <vector>

#include "compiler/ir/edges.h"
#include "compiler/schedule/common/interface.h"
#include "compiler/schedule/common/residues.h"
#include "compiler/schedule/common/resolved_access.h"

namespace stencil::schedule {

class KernelScope;  // kernel_scope.h

// The value of an access in the piece being evaluated.
using ReadAccess = std::function<kernel::Expr(const ir::Access&, AccessResolver&)>;
// The value of a reduction.
using ReadReduction = std::function<kernel::Expr(const ir::ReductionRef&)>;

// Conditions on the distance from an edge that a variant of the code decides.
struct EdgeTests {
  std::vector<ir::EdgeCondition> conditions;  // in the graph
  // The value of a condition, given that of its node.
  std::function<kernel::Expr(const ir::EdgeCondition&, const kernel::Expr&)> decide = {};
  // By node, from ir::unused_at_edges: an access has only those boundary rules that it meets at
  // points where its value is used. Empty: an access has all its rules.
  ir::Unused unused = {};
};

// Evaluates all results of a graph at `point` and returns one expression per result. Appends lets
// to `body` for values that are named or used more than once. Values that are the same at all
// points become variables of the kernel instead. `time` (I32) is the index of the current step; it
// is ignored if steps are iterations of a repeat (ir::time_stands_still). `names`: names in scope,
// which the lets avoid.
std::vector<kernel::Expr> evaluate(const Interface& interface, const ir::Graph& graph,
                                   const std::vector<ir::NodeId>& results, const Point& point,
                                   const kernel::Expr& time, const ReadAccess& read,
                                   KernelScope& scope, Names names, kernel::Body& body,
                                   const ReadReduction& reductions = {},
                                   const Residues& residues = {}, const EdgeTests& edges = {});

// A graph that depends only on params (a requirement, a derived param) as one expression.
kernel::Expr value_on_params(const Interface& interface, const ir::Graph& graph, ir::NodeId value);

}  // namespace stencil::schedule
