// A target that supports Let::cases compiles the rest of a body for both values, and nested lets
// multiply. The text shows the body once.
#include "compiler/kernel/instances.h"

#include "compiler/kernel/walk.h"

namespace stencil::kernel {

namespace {

struct Nodes {
  double written = 0, compiled = 0;
};

// Adds the nodes of a body that is compiled `times` times.
void count(const Body& body, double times, Nodes& out) {
  for (const Statement& statement : body) {
    for_each_expression(statement, [&](const Expr& expr) {
      for_each_node(expr, [&](const Expr&) {
        out.written += 1;
        out.compiled += times;
      });
    });
    if (const auto* let = std::get_if<Let>(&statement.kind)) {
      times *= let->cases ? 2 : 1;
    } else if (const auto* loop = std::get_if<For>(&statement.kind)) {
      count(loop->body, times, out);
    } else if (const auto* branch = std::get_if<If>(&statement.kind)) {
      count(branch->then, times, out);
      count(branch->otherwise, times, out);
    } else if (const auto* threads = std::get_if<Threads>(&statement.kind)) {
      count(threads->body, times, out);
    } else if (const auto* scope = std::get_if<Scope>(&statement.kind)) {
      count(scope->body, times, out);
    }
  }
}

}  // namespace

double instances_of_nodes(const Module& module) {
  Nodes nodes;
  for (const Kernel& kernel : module.kernels) count(kernel.body, 1, nodes);
  return nodes.written > 0 ? nodes.compiled / nodes.written : 1;
}

}  // namespace stencil::kernel
