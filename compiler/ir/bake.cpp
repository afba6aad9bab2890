// --fix: replaces float params by constants (docs/reference/language.md, "Fixed and open sizes").
//
// A param stays a reference through semantic analysis and contraction, so that the same operations
// are formed whether it is fixed or not. Only then is it replaced by its value. Operations on
// constants are folded with the interpreter's rounding, and a select with a known condition is
// resolved. Results that are not finite are left to run time, because a NaN has no literal. Further
// optimizations, such as turning a division by a constant into a multiplication, are left to the
// passes that handle constants anyway.
#include "compiler/ir/known.h"
#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"

namespace stencil::ir {
namespace {

Node bake(const Program& program, Node node) {
  const auto* reference = std::get_if<ParamRef>(&node.kind);
  if (!reference) return node;
  const Param& param = program.params[reference->param];
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
  // The stop condition is not folded: it is evaluated whenever one of its reductions is evaluated,
  // so it must keep all its reductions.
  Program stop;
  stop.run.until = program.run.until;
  baked.run.until = rewrite_graphs(std::move(stop), [&](Graph& graph, Node node) {
                      return graph.add(bake(program, std::move(node)));
                    }).run.until;
  return drop_dead_nodes(baked);
}

}  // namespace stencil::ir
