// The value of a piece at a point, as kernel expressions.
#pragma once

#include <functional>
#include <vector>

#include "compiler/schedule/parts/interface.h"
#include "compiler/schedule/parts/landings.h"
#include "compiler/schedule/parts/residues.h"

namespace stencil::schedule {

class KernelScope;  // kernel_scope.h

// The value of an access when the piece is evaluated at `point`.
using ReadAccess = std::function<kernel::Expr(const ir::Access&, Landings&)>;
// The value of a reduction.
using ReadReduction = std::function<kernel::Expr(const ir::ReductionRef&)>;

// Evaluates every result of a graph at `point`: appends lets for values that are named or used more
// than once to `body` and returns one expression per result. What is the same at all points becomes
// a value of the whole kernel instead. `time` (I32) is the index of the running step, as
// long as steps are not iterations (ir::time_stands_still). `names` keeps the lets apart from what
// is in scope.
std::vector<kernel::Expr> evaluate(const Interface& interface, const ir::Graph& graph,
                                   const std::vector<ir::NodeId>& results, const Point& point,
                                   const kernel::Expr& time, const ReadAccess& read,
                                   KernelScope& scope, Names names, kernel::Body& body,
                                   const ReadReduction& reductions = {},
                                   const Residues& residues = {});

// A graph over params alone (a requirement, a param that follows from others) as one expression.
kernel::Expr value_on_params(const Interface& interface, const ir::Graph& graph, ir::NodeId value);

}  // namespace stencil::schedule
