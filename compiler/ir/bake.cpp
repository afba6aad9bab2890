// --fix: float params as constants (docs/reference/language.md, "Fixed and open sizes").
//
// A param stays a reference through semantic analysis and contraction, so that the same operations
// are formed whether it is fixed or not; only then its value takes its place. An operation on known
// values is computed here, with the interpreter's rounding, and a choice by a known condition is
// made. Results that are not finite are left to be computed at run time: a NaN has no literal. What
// a known value is worth beyond that, such as a division that can be multiplied out, is for those
// who look at constants anyway.
#include "compiler/ir/known.h"
#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"

namespace stencil::ir {
namespace {

Node bake(const Program& program, Node node) {
  const auto* reference = std::get_if<ParamRef>(&node.kind);
  if (!reference) return node;
  const Param& param = program.params[static_cast<size_t>(reference->param)];
  if (param.fixed) node.kind = known_real(param.type, *param.real_value);
  return node;
}

}  // namespace

Program bake_params(const Program& program) {
  const auto fixed = [](const Param& param) { return param.fixed; };
  if (std::none_of(program.params.begin(), program.params.end(), fixed)) return program;
  Program baked = rewrite_graphs(program, [&](Graph& graph, Node node) {
    return add_known(graph, bake(program, std::move(node)));
  });
  for (Param& param : baked.params) {
    if (!param.derived) continue;
    auto& [graph, value, text] = *param.derived;
    rewrite_graph(graph, {&value}, [&](Graph& out, Node node) {
      return add_known(out, bake(program, std::move(node)));
    });
    if (std::holds_alternative<Constant>(graph[value].kind)) param.derived.reset();
  }
  // The stop condition is asked when a reduction that it names is evaluated, so it keeps them all.
  Program stop;
  stop.stop = program.stop;
  baked.stop = rewrite_graphs(std::move(stop), [&](Graph& graph, Node node) {
                 return graph.add(bake(program, std::move(node)));
               }).stop;
  return drop_dead_nodes(baked);
}

}  // namespace stencil::ir
